// Renders the page: the frame with the sidebar, and in it the view that the URL selects. Most views are loaded on
// demand.
import { Route, Switch, useLocation, useSearchParams } from "wouter";
import { HomeView } from "./home/home-view.tsx";
import { Toasts } from "./kit/index.ts";
import { ROUTES } from "./routes.ts";
import { PageFrame } from "./shell/frame.tsx";
import { lazyView, ViewBoundary } from "./shell/lazy-view.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { Titled, TitledByThread } from "./shell/page-title.tsx";
import { TokenDialogGate } from "./shell/token-dialog.tsx";

const ConversationView = lazyView(async () => (await import("./conversation/conversation-view.tsx")).ConversationView);
const NewView = lazyView(async () => (await import("./composer/start/new-view.tsx")).NewView);
const InspectView = lazyView(async () => (await import("./inspect/inspect-view.tsx")).InspectView);
const TranslateView = lazyView(async () => (await import("./translate/translate-view.tsx")).TranslateView);

export function App() {
  return (
    <>
      <PageFrame>
        <Views />
      </PageFrame>
      <TokenDialogGate />
      <Toasts />
    </>
  );
}

function Views() {
  const [path] = useLocation();
  return (
    <ViewBoundary path={path}>
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
  const viewProps = { threadId: id, ...(at !== null && { at }) };
  return (
    <TitledByThread id={id} prefix={inspect ? "Inspect: " : ""}>
      {/* The key makes React create a new view for each thread, without state of the previous thread. */}
      {inspect ? <InspectView key={id} {...viewProps} /> : <ConversationView key={id} {...viewProps} />}
    </TitledByThread>
  );
}
