import { LOCAL_PRINCIPAL } from "../../src/lib/contract/access";
import { AWKWARD_TOOLS } from "./awkward-definitions";
import { registerTools, type SeedContext } from "./seed-context";

/** Registers them, and calls each once with arguments that fit. */
export async function seedAwkwardTools({ withServices }: SeedContext): Promise<string> {
  return withServices(async (services) => {
    const { registered } = await registerTools(
      services,
      AWKWARD_TOOLS.map(({ definitionText }) => definitionText),
    );
    for (const { definitionText, argumentsText } of AWKWARD_TOOLS) {
      const tool = (JSON.parse(definitionText) as { name: string }).name;
      await services.executions.run(LOCAL_PRINCIPAL, { tool, argumentsText });
    }
    return `${registered} new tools, ${AWKWARD_TOOLS.length} calls`;
  });
}
