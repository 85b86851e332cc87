import type { PendingInteraction } from "../../../lib/contract";
import type { InteractionStore } from "../../features/interactions/interaction-store";
import type { SecretBox } from "../../features/servers/server-store";
import type { Database } from "../database";

interface InteractionStorePorts {
  db: Database;
  secretBox: SecretBox;
  instanceId: string;
}

export function createInteractionStore({ db, secretBox, instanceId }: InteractionStorePorts): InteractionStore {
  const { interaction: table } = db.prisma;
  const context = (id: string): string => `interaction:${id}`;
  return {
    async add(interaction) {
      const { id } = interaction;
      const data = { id, instanceId, request: secretBox.seal(JSON.stringify(interaction), context(id)) };
      await db.write(() => table.create({ data }));
    },
    async delete(ids) {
      await db.write(() => table.deleteMany({ where: { id: { in: [...ids] } } }));
    },
    async listForeign() {
      const rows = await table.findMany({ where: { instanceId: { not: instanceId } } });
      return rows.flatMap(({ id, request, instanceId: ownerId }) => {
        const open = (): PendingInteraction => JSON.parse(secretBox.open(request, context(id)));
        const interaction = db.damaged.read("server request", id, open);
        return interaction === null ? [] : { instanceId: ownerId, interaction };
      });
    },
  };
}
