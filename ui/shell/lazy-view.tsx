// Views are loaded when they are first shown. One that cannot be loaded, or breaks, says so in its place: the rest of the
// page goes on.
import { Component, lazy, Suspense, type ComponentType, type ReactNode } from "react";
import { Button, Icon, Spinner } from "../kit/index.ts";
import styles from "./lazy-view.module.css";

/** A view of its own file. */
export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const View: ComponentType<Props> = lazy(async () => ({ default: await load() }));
  return function LazyView(props: Props) {
    return (
      <Suspense fallback={<Loading />}>
        <View {...props} />
      </Suspense>
    );
  };
}

function Loading() {
  return (
    <div className={styles["centre"]}>
      <Spinner label="Loading" size={22} />
    </div>
  );
}

interface BoundaryState {
  error: Error | undefined;
}

/** Keeps a broken view from taking the page with it. Another address, given as `place`, is another try. */
export class ViewBoundary extends Component<{ place: string; children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { error: undefined };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(before: { place: string }): void {
    if (before.place !== this.props.place && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    return this.state.error === undefined ? this.props.children : <Broken error={this.state.error} />;
  }
}

function Broken({ error }: { error: Error }) {
  // The server was updated since: files of the former page are gone.
  const gone = /dynamically imported module|Importing a module script failed|preload/i.test(error.message);
  return (
    <div className={styles["centre"]} role="alert">
      <Icon name="warning" size={28} />
      <h1>{gone ? "This part of the page could not be loaded" : "This view broke"}</h1>
      <p>{gone ? "The server may have been updated, or cannot be reached." : error.message}</p>
      <Button icon="refresh" onClick={() => location.reload()}>
        Reload the page
      </Button>
    </div>
  );
}
