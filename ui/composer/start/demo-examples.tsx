// Shows example prompts for the demo model.
import styles from "./new-conversation.module.css";

const EXAMPLES: Record<"chat" | "task", readonly (readonly [prompt: string, description: string])[]> = {
  chat: [
    ["help", "what it can do"],
    ["think about the tide", "reasoning first"],
    ["slow long 80", "a slow answer, to stop or to steer"],
    ['json {"boats": 3}', "structured output"],
    ["error overloaded midway", "a failure in the middle"],
    ["refuse", "a refusal"],
  ],
  task: [
    ["help", "what it can do"],
    ["slow long 80", "slow work: queue a message meanwhile"],
    ['call echo {"text": "hello"}', "calls a tool of that name, if there is one"],
    ["error overloaded", "a task that fails"],
  ],
};

export interface DemoExamplesProps {
  kind: "chat" | "task";
  onPick: (text: string) => void;
}

export function DemoExamples({ kind, onPick }: DemoExamplesProps) {
  return (
    <section className={styles["examples"]} aria-label="Examples for the demo">
      <p className={styles["about"]}>
        <code>demo/koine</code> is a script that needs no key, not a language model. It understands prompts such as:
      </p>
      <ul>
        {EXAMPLES[kind].map(([prompt, description]) => (
          <li key={prompt}>
            <button type="button" onClick={() => onPick(prompt)}>
              <code>{prompt}</code> <span>{description}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
