// Shows the dialog for entering a token, which opens when the server requires one. The token is stored only if the
// server accepts it.
import { useEffect, useId, useState, type FormEvent } from "react";
import { ApiError } from "../data/api.ts";
import { useApi } from "../data/hooks.ts";
import { Button, Dialog } from "../kit/index.ts";
import { setTokenPrompt, useTokenPrompt, type TokenPromptReason } from "./token-prompt.ts";
import styles from "./token-dialog.module.css";

export function TokenDialogGate() {
  const api = useApi();
  const promptReason = useTokenPrompt();
  useEffect(() => api.onUnauthorized(() => setTokenPrompt("server")), [api]);
  return promptReason === undefined ? null : (
    <TokenDialog reason={promptReason} close={() => setTokenPrompt(undefined)} />
  );
}

function TokenDialog({ reason, close }: { reason: TokenPromptReason; close: () => void }) {
  const form = useId();
  const { busy, failure, submit } = useTokenForm(close);
  return (
    <Dialog
      open
      onClose={close}
      title={reason === "server" ? "This server requires a token" : "Use a token"}
      footer={
        <Button type="submit" form={form} variant="primary" busy={busy}>
          Continue
        </Button>
      }
    >
      <p className={styles["why"]}>
        The operator of the server creates one with <code>koine token create</code>. It is stored in this browser until
        you remove it in the settings, and is sent only to this server.
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

interface TokenForm {
  busy: boolean;
  failure: string | undefined;
  submit: (event: FormEvent<HTMLFormElement>) => void;
}

function useTokenForm(onAccepted: () => void): TokenForm {
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const attempt = async (token: string): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await api.checkAndStoreToken(token);
      onAccepted();
    } catch (error) {
      setFailure(describeTokenError(error));
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

function describeTokenError(error: unknown): string {
  if (error instanceof ApiError && error.status === 401) return "The server rejects this token.";
  return error instanceof Error ? error.message : String(error);
}
