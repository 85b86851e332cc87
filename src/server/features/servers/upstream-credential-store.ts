import type { CredentialHolder, CredentialInfo } from "../../../lib/contract/credential";
import type { PersonalCredentials } from "../../engine/mcp-ports";

/** A person's values, and what they were entered for. */
export interface EnteredValues {
  binding: string;
  values: Readonly<Record<string, string>>;
}

/** Each person's own credentials for MCP servers, encrypted for that server and person. */
export interface UpstreamCredentialStore extends PersonalCredentials {
  writeValues(server: string, person: string, entered: EnteredValues): Promise<void>;
  delete(server: string, person: string): Promise<void>;
  /** In order of the servers' names. */
  ofPerson(person: string): Promise<CredentialInfo[]>;
  /** In order of the people's names. */
  holders(server: string): Promise<CredentialHolder[]>;
}
