import { toFormerRoutes, toRoutes } from "../../../platform/api/operation-routes";
import type { Route } from "../../../platform/api/route";
import { OPERATIONS } from "../operations";

/** The REST API, in the order of its document. Each answer is one call of a service, which checks the rights too. */
export const ROUTES: readonly Route[] = [...OPERATIONS.flatMap(toRoutes), ...OPERATIONS.flatMap(toFormerRoutes)];
