import type { ServerDraft } from "./server-draft";

/** What every part of the form is given. */
export interface FormState {
  draft: ServerDraft;
  change: (part: Partial<ServerDraft>) => void;
  /** What is wrong with a field that has been touched: `url`, `env[0].name`. */
  problemsOf: (field: string) => string[];
  /** The one secret that is shown in plain text: its row's key. */
  revealed: number | null;
  reveal: (key: number | null) => void;
}
