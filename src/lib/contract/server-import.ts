import type { ServerSettingsInput } from "./server";

/** The servers found in an imported text, each with what must be corrected before it can be added. */
export interface ServerImport {
  servers: {
    name: string;
    /** False if the text disables it. */
    enabled: boolean;
    settings: ServerSettingsInput | null;
    problems: string[];
    /** Notes about changed or omitted parts. */
    notes: string[];
    /** The reasons why it cannot connect as things are, such as unset variables; absent before that has been checked. */
    warnings?: string[];
  }[];
  /** The problems of the text as a whole. */
  problems: string[];
  /** Notes about changes of the text as a whole. */
  notes: string[];
}
