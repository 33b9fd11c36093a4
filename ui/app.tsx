// The frame around every view: which one is shown is the address's to say. Views are loaded when they are first shown.
import { Route, Switch, useLocation, useSearchParams } from "wouter";
import { HomeView } from "./home/home-view.tsx";
import { Toasts } from "./kit/index.ts";
import { ROUTES } from "./routes.ts";
import { Frame } from "./shell/frame.tsx";
import { lazyView, ViewBoundary } from "./shell/lazy-view.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { Titled, TitledByThread } from "./shell/page-title.tsx";
import { TokenGate } from "./shell/token-gate.tsx";

const ConversationView = lazyView(async () => (await import("./conversation/conversation-view.tsx")).ConversationView);
const NewView = lazyView(async () => (await import("./composer/new-view.tsx")).NewView);
const InspectView = lazyView(async () => (await import("./inspect/inspect-view.tsx")).InspectView);
const TranslateView = lazyView(async () => (await import("./translate/translate-view.tsx")).TranslateView);

export function App() {
  return (
    <>
      <Frame>
        <Views />
      </Frame>
      <TokenGate />
      <Toasts />
    </>
  );
}

function Views() {
  const [place] = useLocation();
  return (
    <ViewBoundary place={place}>
      <Switch>
        <Route path={ROUTES.home}>
          <Titled>
            <HomeView />
          </Titled>
        </Route>
        <Route path={ROUTES.new}>
          <Titled title="New conversation">
            <NewView />
          </Titled>
        </Route>
        <Route path={ROUTES.translate}>
          <Titled title="Translate">
            <TranslateView />
          </Titled>
        </Route>
        <Route path={ROUTES.inspect}>{({ id }) => <ThreadView id={id} inspect />}</Route>
        <Route path={ROUTES.thread}>{({ id }) => <ThreadView id={id} />}</Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </ViewBoundary>
  );
}

function ThreadView({ id, inspect = false }: { id: string; inspect?: boolean }) {
  const [query] = useSearchParams();
  const at = query.get("at");
  const given = { threadId: id, ...(at !== null && { at }) };
  return (
    <TitledByThread id={id} prefix={inspect ? "Inspect: " : ""}>
      {/* Another thread is another view: nothing of one is carried over into the next. */}
      {inspect ? <InspectView key={id} {...given} /> : <ConversationView key={id} {...given} />}
    </TitledByThread>
  );
}
