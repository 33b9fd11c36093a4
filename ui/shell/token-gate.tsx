// Asks for a token where the server wants one. It is tried before it is kept.
import { useEffect, useId, useState, type FormEvent } from "react";
import { ApiError } from "../data/api.ts";
import { useApi } from "../data/hooks.ts";
import { Button, Dialog } from "../kit/index.ts";
import { setAsking, useAsking, type Asking } from "./token.ts";
import styles from "./token-gate.module.css";

export function TokenGate() {
  const api = useApi();
  const asking = useAsking();
  useEffect(() => api.onUnauthorized(() => setAsking("server")), [api]);
  return asking === undefined ? null : <TokenDialog asking={asking} close={() => setAsking(undefined)} />;
}

function TokenDialog({ asking, close }: { asking: Asking; close: () => void }) {
  const form = useId();
  const { busy, failure, submit } = useTokenTrial(close);
  return (
    <Dialog
      open
      onClose={close}
      title={asking === "server" ? "This server asks for a token" : "Use a token"}
      footer={
        <Button type="submit" form={form} variant="primary" busy={busy}>
          Continue
        </Button>
      }
    >
      <p className={styles["why"]}>
        Whoever runs the server makes one with <code>koine token create</code>. It is kept in this browser until you
        forget it in the settings, and is sent to this server alone.
      </p>
      <form id={form} onSubmit={submit}>
        <label className={styles["field"]}>
          Token
          <input
            name="token"
            type="password"
            autoComplete="current-password"
            spellCheck={false}
            required
            aria-invalid={failure !== undefined}
            aria-describedby={`${form}-failure`}
          />
        </label>
        <p id={`${form}-failure`} role="alert" className={styles["failure"]}>
          {failure}
        </p>
      </form>
    </Dialog>
  );
}

interface TokenTrial {
  busy: boolean;
  failure: string | undefined;
  submit: (event: FormEvent<HTMLFormElement>) => void;
}

function useTokenTrial(onGood: () => void): TokenTrial {
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const attempt = async (token: string): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await api.useToken(token);
      onGood();
    } catch (error) {
      setFailure(whyNot(error));
      setBusy(false);
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get("token");
    if (typeof token === "string" && token.trim() !== "") void attempt(token.trim());
  };
  return { busy, failure, submit };
}

function whyNot(error: unknown): string {
  if (error instanceof ApiError && error.status === 401) return "The server does not know this token.";
  return error instanceof Error ? error.message : String(error);
}
