import type { ServerSettingsInput } from "./server";

/** The servers found in an imported text, each with what must be corrected before it can be added. */
export interface ServerImport {
  servers: {
    name: string;
    /** False if the text disables it. */
    enabled: boolean;
    settings: ServerSettingsInput | null;
    problems: string[];
    /** What was changed or left out. */
    notes: string[];
    /** What keeps it from connecting as things are, such as unset variables; absent before that has been checked. */
    warnings?: string[];
  }[];
  /** What is wrong with the text as a whole. */
  problems: string[];
  /** What was changed in the text as a whole. */
  notes: string[];
}
