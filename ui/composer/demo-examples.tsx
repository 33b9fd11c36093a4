// What can be said to the demo model, for a start.
import styles from "./new-conversation.module.css";

const EXAMPLES: Record<"chat" | "task", readonly (readonly [says: string, what: string])[]> = {
  chat: [
    ["help", "what it can do"],
    ["think about the tide", "reasoning first"],
    ["slow long 80", "a slow answer, to stop or to talk over"],
    ['json {"boats": 3}', "structured output"],
    ["error overloaded midway", "a failure in the middle"],
    ["refuse", "a refusal"],
  ],
  task: [
    ["help", "what it can do"],
    ["slow long 80", "work that takes a while: queue something meanwhile"],
    ['call echo {"text": "hello"}', "calls a tool, where there is one of that name"],
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
        <code>demo/koine</code> is a script without a key, not a language model. It obeys words such as:
      </p>
      <ul>
        {EXAMPLES[kind].map(([says, what]) => (
          <li key={says}>
            <button type="button" onClick={() => onPick(says)}>
              <code>{says}</code> <span>{what}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
