import { router, toRouter } from "../../platform/api/trpc";
import { type NounOperations, OPERATIONS } from "./operations";

/** The router of each noun, under its name. */
type NounRouters = {
  [Noun in NounOperations as Noun["noun"]]: ReturnType<typeof toRouter<Noun["each"]>>;
};

export const appRouter = router(
  Object.fromEntries(OPERATIONS.map((operations) => [operations.noun, toRouter(operations)])) as unknown as NounRouters,
);

export type AppRouter = typeof appRouter;
