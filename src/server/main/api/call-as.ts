import type { Principal } from "../../../lib/contract/access";
import type { Container } from "../container";
import { appRouter } from "./root";

/** The procedures as the console calls them, with the rights of `actor`. */
export function callAs({ servicesFor, stopping }: Pick<Container, "servicesFor" | "stopping">, actor: Principal) {
  return appRouter.createCaller({
    actor,
    refusal: null,
    sessionId: null,
    source: "console",
    services: servicesFor(actor),
    recheck: async () => actor,
    stopping,
  });
}
