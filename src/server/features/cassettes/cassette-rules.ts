import { byName, type MethodRules } from "../../platform/shared/method-rules";
import type { CassetteService } from "./cassette-service";

export function createCassetteRules(cassettes: CassetteService): MethodRules<CassetteService> {
  const state = async (name: string) => {
    const { lastSession: _session, ...facts } = await cassettes.get(name);
    return facts;
  };
  return {
    create: {
      permission: "edit",
      target: ([{ name }]) => ({ kind: "cassette", name }),
      after: (_, { lastSession: _session, ...made }) => made,
    },
    update: {
      permission: "edit",
      target: ([name], made) => ({ kind: "cassette", name: made?.name ?? name }),
      state: ([name], made) => state(made?.name ?? name),
    },
    delete: { permission: "edit", target: byName("cassette"), state: ([name]) => state(name) },
    import: {
      permission: "edit",
      target: ([{ name }], made) => ({ kind: "cassette", name: made?.name ?? name ?? "" }),
      after: (_, { lastSession: _session, ...made }) => made,
    },
  };
}
