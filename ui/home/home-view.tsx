// Where one begins: what to paste into which SDK, so that its calls appear here; and what can be done without one.
import { useState } from "react";
import { Link } from "wouter";
import { useModels, useThreads, useToken } from "../data/hooks.ts";
import { DEMO } from "../data/models.ts";
import { hasThreads, nameOf } from "../data/names.ts";
import type { ModelInfo, ThreadListState } from "../data/types.ts";
import { CopyButton, Icon, Tabs, type IconName } from "../kit/index.ts";
import { ROUTES, threadPath } from "../routes.ts";
import { arrivedSince } from "./arrived.ts";
import { CodeBlock } from "./code-block.tsx";
import styles from "./home.module.css";
import { snippetsFor, type Snippet } from "./snippets.ts";

export function HomeView() {
  const list = useThreads();
  const hasSome = hasThreads(list);
  return (
    <div className={styles["home"]}>
      <h1>{hasSome ? "Connect an SDK" : "Point an SDK at Koine"}</h1>
      <p className={styles["lead"]}>
        Set the base URL, and leave the rest of your program as it is. Every call is recorded as a conversation that
        appears here while it streams, whichever provider answers.
      </p>
      <Snippets />
      {list.status === "ready" && <Arrivals list={list} isWaiting={!hasSome} />}
      <h2>Or begin without one</h2>
      <div className={styles["doors"]}>
        <Door href={ROUTES.new} icon="chat" title="Start a conversation">
          Chat with any configured model, or set an agent to a task.
        </Door>
        <Door href={ROUTES.translate} icon="translate" title="Translate a payload">
          Paste any provider’s JSON or stream and see it in every other format, with what is lost.
        </Door>
      </div>
    </div>
  );
}

function Snippets() {
  const models = useModels();
  const { isKept: token } = useToken();
  const [chosen, setChosen] = useState<string>();
  const [tab, setTab] = useState<Snippet["id"]>("openai");
  const model = chosen ?? (models.find(({ id }) => id === DEMO) ?? models[0])?.id ?? DEMO;
  const snippets = snippetsFor({ origin: location.origin, model, token });
  const snippet = snippets.find(({ id }) => id === tab);
  return (
    <section className={styles["snippets"]} aria-label="Programs to paste">
      <Tabs label="SDK" tabs={snippets.map(({ id, name }) => ({ id, label: name }))} selected={tab} onSelect={setTab}>
        {snippet !== undefined && <SnippetPanel snippet={snippet} />}
      </Tabs>
      <ModelChoice models={models} model={model} choose={setChosen} />
    </section>
  );
}

function ModelChoice({
  models,
  model,
  choose,
}: {
  models: readonly ModelInfo[];
  model: string;
  choose: (model: string) => void;
}) {
  if (models.length < 2) return null;
  return (
    <label className={styles["model"]}>
      Model
      <select value={model} onChange={(event) => choose(event.target.value)}>
        {models.map(({ id }) => (
          <option key={id}>{id}</option>
        ))}
      </select>
    </label>
  );
}

function SnippetPanel({ snippet: { name, install, env, code } }: { snippet: Snippet }) {
  return (
    <>
      <CodeBlock code={code} label={`Program for ${name}`} emphasised={location.origin} />
      {(install !== undefined || env !== undefined) && (
        <dl className={styles["notes"]}>
          {install !== undefined && <Note term="Needs" text={install} />}
          {env !== undefined && <Note term="Or, without touching code, set" text={env} />}
        </dl>
      )}
    </>
  );
}

function Note({ term, text }: { term: string; text: string }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>
        <code>{text}</code>
        <CopyButton text={text} label={`Copy ${text}`} />
      </dd>
    </div>
  );
}

function Arrivals({ list, isWaiting }: { list: ThreadListState; isWaiting: boolean }) {
  const [before] = useState(list);
  const arrived = arrivedSince(before, list);
  return (
    <div role="status" className={styles["arrivals"]} data-arrived={arrived !== undefined}>
      {arrived !== undefined ? (
        <>
          <Icon name="check" />
          <span>It works: a conversation has arrived.</span>
          <Link href={threadPath(arrived.id)}>{nameOf(arrived)}</Link>
        </>
      ) : (
        isWaiting && (
          <>
            <span className={styles["pulse"]} />
            <span>Waiting for the first call. It appears here by itself.</span>
          </>
        )
      )}
    </div>
  );
}

function Door({ href, icon, title, children }: { href: string; icon: IconName; title: string; children: string }) {
  return (
    <Link href={href} className={styles["door"]}>
      <Icon name={icon} size={20} />
      <span>
        <strong>{title}</strong>
        <span>{children}</span>
      </span>
      <Icon name="chevron-right" size={16} />
    </Link>
  );
}
