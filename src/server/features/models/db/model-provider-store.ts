import { z } from "zod";
import { modelPriceSchema, modelProviderKindSchema } from "../../../../lib/contract/model";
import { getMessage } from "../../../../lib/get-message";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../../platform/db/database";
import type { ModelProvider } from "../../../platform/db/generated/client";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { isRevision, refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import type { SecretBox } from "../../servers/server-store";
import type { ModelProviderStore, ProviderSettings, StoredProvider } from "../model-provider-store";

/** A row of a later version, or one edited by hand, must not hide the others. */
const settingsSchema = z.object({
  baseUrl: z.string().nullable().catch(null),
  models: z.array(z.string()).catch([]),
  prices: z.array(modelPriceSchema).catch([]),
});

export function createModelProviderStore(ports: {
  db: Database;
  secretBox: SecretBox;
  clock: Clock;
}): ModelProviderStore {
  const { db, secretBox, clock } = ports;
  const { modelProvider } = db.prisma;

  const columns = ({ name, kind, baseUrl, models, prices }: ProviderSettings, key: string | null | undefined) => ({
    name,
    kind,
    settings: JSON.stringify({ baseUrl, models, prices }),
    ...(key === undefined ? {} : { secret: key === null ? null : secretBox.seal(key, toContext(name)) }),
    updatedAt: BigInt(clock.now()),
  });

  function toStored({ name, kind, settings, secret, ...edited }: ModelProvider): StoredProvider {
    let key: string | null = null;
    let keyFault: string | null = null;
    try {
      if (secret !== null) key = secretBox.open(secret, toContext(name));
    } catch (error) {
      keyFault = getMessage(error);
    }
    const known = modelProviderKindSchema.safeParse(kind);
    if (!known.success) throw new Error(`its kind '${kind}' is not known to this version of Toolroom`);
    const read = settingsSchema.parse(parsed(settings));
    return { name, kind: known.data, ...read, key, keyFault, lastEdit: toLastEdit(edited) };
  }

  return {
    async list() {
      const rows = await modelProvider.findMany({ orderBy: [{ createdAt: "asc" }, { name: "asc" }] });
      return rows.flatMap((row) => db.damaged.read("model provider", row.name, () => toStored(row)) ?? []);
    },

    async create(provider, key, by) {
      const data = { ...columns(provider, key), createdAt: BigInt(clock.now()), changedBy: by?.name ?? null };
      return toStored(
        await db.write(() => modelProvider.create({ data })).catch(refuseDuplicate("model provider", provider.name)),
      );
    },

    async update(name, provider, key, { by, revision } = {}) {
      const data = { ...columns(provider, key), changedBy: by?.name ?? null, revision: { increment: 1 } };
      const [row] = await db
        .write(() => modelProvider.updateManyAndReturn({ where: { name, ...isRevision(revision) }, data }))
        .catch(refuseDuplicate("model provider", provider.name));
      if (row === undefined)
        refuseOutdated("model provider", name, await modelProvider.findUnique({ where: { name } }));
      return toStored(row);
    },

    async delete(name, revision) {
      const { count } = await db.write(() => modelProvider.deleteMany({ where: { name, ...isRevision(revision) } }));
      if (count === 0) refuseOutdated("model provider", name, await modelProvider.findUnique({ where: { name } }));
    },
  };
}

const toContext = (name: string): string => `model-provider:${name}`;

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
