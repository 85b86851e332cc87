import type { Route } from "../route";
import { APPROVAL_ROUTES } from "./approvals";
import { CATALOG_ROUTES } from "./catalog";
import { EXECUTION_ROUTES } from "./executions";
import { RUN_ROUTES } from "./runs";
import { SERVER_ROUTES } from "./servers";
import { TOKEN_ROUTES } from "./tokens";
import { TOOL_ROUTES } from "./tools";
import { TOOLSET_ROUTES } from "./toolsets";

/** The REST API, in the order of its document. Each answer is one call of a service, which checks the rights too. */
export const ROUTES: readonly Route[] = [
  ...[...TOOL_ROUTES, ...EXECUTION_ROUTES, ...RUN_ROUTES, ...APPROVAL_ROUTES],
  ...[...TOOLSET_ROUTES, ...SERVER_ROUTES, ...TOKEN_ROUTES, ...CATALOG_ROUTES],
];
