// Loads views on demand. If a view cannot be loaded or throws, an error is shown in its place, and the rest of the page
// still works.
import { Component, lazy, Suspense, type ComponentType, type ReactNode } from "react";
import { Button, Icon, Spinner } from "../kit/index.ts";
import styles from "./lazy-view.module.css";

/**
 * Returns a component that starts to import a view when it is first rendered, and shows a spinner until the view is
 * imported.
 */
export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const View: ComponentType<Props> = lazy(async () => ({ default: await load() }));
  return function LazyView(props: Props) {
    return (
      <Suspense fallback={<LoadingView />}>
        <View {...props} />
      </Suspense>
    );
  };
}

function LoadingView() {
  return (
    <div className={styles["centre"]}>
      <Spinner label="Loading" size={22} />
    </div>
  );
}

interface BoundaryState {
  error: Error | undefined;
}

/**
 * Catches errors that a view throws and shows them in its place. When the user navigates to another `path`, the error
 * is removed and the children are rendered again.
 */
export class ViewBoundary extends Component<{ path: string; children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { error: undefined };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(previous: { path: string }): void {
    if (previous.path !== this.props.path && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    return this.state.error === undefined ? this.props.children : <BrokenView error={this.state.error} />;
  }
}

function BrokenView({ error }: { error: Error }) {
  // Browsers use these messages if a file of the page cannot be loaded: the server has been updated and no longer has
  // the file, or cannot be reached.
  const isMissingModule = /dynamically imported module|Importing a module script failed|preload/i.test(error.message);
  return (
    <div className={styles["centre"]} role="alert">
      <Icon name="warning" size={28} />
      <h1>{isMissingModule ? "This part of the page could not be loaded" : "This view failed"}</h1>
      <p>{isMissingModule ? "The server may have been updated, or cannot be reached." : error.message}</p>
      <Button icon="refresh" onClick={() => location.reload()}>
        Reload the page
      </Button>
    </div>
  );
}
