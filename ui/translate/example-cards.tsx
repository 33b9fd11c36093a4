// Shows cards with example payloads of every dialect while the user has entered no payload.
import { EXAMPLES } from "./examples.ts";
import styles from "./translate-view.module.css";

export function ExampleCards({ onChoose }: { onChoose: (text: string) => void }) {
  return (
    <section aria-labelledby="examples" className={styles["examples"]}>
      <h2 id="examples">Or start with an example</h2>
      <ul>
        {EXAMPLES.map(({ title, text }) => {
          const [name = title, about] = title.split(": ");
          return (
            <li key={title}>
              <button type="button" onClick={() => onChoose(text)}>
                <strong>{name}</strong> {about !== undefined && <span>{about}</span>}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
