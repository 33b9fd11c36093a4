// Shows the home view: code snippets that connect an SDK to this server, and links to the other views.
import { useState } from "react";
import { Link } from "wouter";
import { useModels, useThreads, useToken } from "../data/hooks.ts";
import { DEMO_MODEL } from "../data/model-store.ts";
import { mayHaveThreads, formatThreadName } from "../data/thread-names.ts";
import type { ModelInfo, ThreadListState } from "../data/types.ts";
import { CopyButton, Icon, Tabs, type IconName } from "../kit/index.ts";
import { ROUTES, threadPath } from "../routes.ts";
import { findArrivedThread } from "./find-arrived-thread.ts";
import { SnippetCode } from "./snippet-code.tsx";
import styles from "./home.module.css";
import { createSnippets, type Snippet } from "./snippets.ts";

export function HomeView() {
  const list = useThreads();
  const hasThreads = mayHaveThreads(list);
  return (
    <div className={styles["home"]}>
      <h1>{hasThreads ? "Connect an SDK" : "Connect an SDK to Koine"}</h1>
      <p className={styles["lead"]}>
        Set the base URL and leave the rest of your program unchanged. Every call is recorded as a conversation that
        appears here while it streams, whichever provider answers.
      </p>
      <Snippets />
      {list.status === "ready" && <ArrivalStatus list={list} isWaiting={!hasThreads} />}
      <h2>Or start without an SDK</h2>
      <div className={styles["doors"]}>
        <HomeLink href={ROUTES.new} icon="chat" title="Start a conversation">
          Chat with any configured model, or give an agent a task.
        </HomeLink>
        <HomeLink href={ROUTES.translate} icon="translate" title="Translate a payload">
          Paste JSON or a stream of any provider and see it in every other format, with all losses.
        </HomeLink>
      </div>
    </div>
  );
}

function Snippets() {
  const models = useModels();
  const { hasToken: token } = useToken();
  const [selectedModel, setSelectedModel] = useState<string>();
  const [tab, setTab] = useState<Snippet["id"]>("openai");
  const model = selectedModel ?? (models.find(({ id }) => id === DEMO_MODEL) ?? models[0])?.id ?? DEMO_MODEL;
  const snippets = createSnippets({ origin: location.origin, model, token });
  const snippet = snippets.find(({ id }) => id === tab);
  return (
    <section className={styles["snippets"]} aria-label="Programs to paste">
      <Tabs label="SDK" tabs={snippets.map(({ id, name }) => ({ id, label: name }))} selected={tab} onSelect={setTab}>
        {snippet !== undefined && <SnippetPanel snippet={snippet} />}
      </Tabs>
      <SnippetModelChoice models={models} model={model} choose={setSelectedModel} />
    </section>
  );
}

function SnippetModelChoice({
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
      <SnippetCode code={code} label={`Program for ${name}`} highlight={location.origin} />
      {(install !== undefined || env !== undefined) && (
        <dl className={styles["notes"]}>
          {install !== undefined && <SnippetNote term="Needs" text={install} />}
          {env !== undefined && <SnippetNote term="Or set this variable instead of changing code" text={env} />}
        </dl>
      )}
    </>
  );
}

function SnippetNote({ term, text }: { term: string; text: string }) {
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

function ArrivalStatus({ list, isWaiting }: { list: ThreadListState; isWaiting: boolean }) {
  const [initialList] = useState(list);
  const arrived = findArrivedThread(initialList, list);
  return (
    <div role="status" className={styles["arrivals"]} data-arrived={arrived !== undefined}>
      {arrived !== undefined ? (
        <>
          <Icon name="check" />
          <span>The first call has arrived.</span>
          <Link href={threadPath(arrived.id)}>{formatThreadName(arrived)}</Link>
        </>
      ) : (
        isWaiting && (
          <>
            <span className={styles["pulse"]} />
            <span>Waiting for the first call. It appears here automatically.</span>
          </>
        )
      )}
    </div>
  );
}

function HomeLink({ href, icon, title, children }: { href: string; icon: IconName; title: string; children: string }) {
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
