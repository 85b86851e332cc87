import { procedure, router } from "../trpc";

export const systemRouter = router({
  info: procedure.query(({ ctx }) => ctx.services.system.info()),
});
