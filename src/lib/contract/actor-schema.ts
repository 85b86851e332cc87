import { z } from "zod";

/** The user or program behind a service call. Until there are accounts, always the local owner. */
export const actorSchema = z.object({ id: z.string().min(1).max(200), name: z.string().min(1).max(200) });
export type Actor = z.infer<typeof actorSchema>;
