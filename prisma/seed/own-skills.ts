import type { SkillFileInput } from "../../src/lib/contract/own-skill";
import type { Services } from "./seed-context";

const NAME = "weather-briefing";

const write = (steps: string): string => `---
name: ${NAME}
description: Write a short weather briefing for a trip. Use it when a user asks what to expect of the weather at a place.
metadata:
  owner: Support
---

# Weather briefing

${steps}

References: [wording](references/wording.md) for the tone, [units](references/units.json) for what each country reads.
`;

const FIRST = `1. Call \`get_weather\` for the place.
2. Write three sentences: what it is like, what to bring, what may go wrong.`;

const SECOND = `1. Call \`get_weather\` for the place, with the units that \`references/units.json\` has for the country.
2. For more than one day, call it with \`days\`, and name the day that differs most.
3. Write three sentences: what it is like, what to bring, what may go wrong. Say so where the tool failed, and do not guess.`;

const WORDING = `# Wording

- Numbers without decimals: 7 °C, not 7.2 °C.
- "Rain is likely" from 60%, "rain is possible" from 30%, nothing below.
- No exclamation marks.
`;

const UNITS = JSON.stringify({ default: "celsius", US: "fahrenheit", BS: "fahrenheit", LR: "fahrenheit" }, null, 2);

const FILES: readonly SkillFileInput[] = [
  { path: "references/wording.md", text: WORDING },
  { path: "references/units.json", text: `${UNITS}\n` },
];

/** A skill of the team with two versions. @returns in a few words what it made */
export async function seedOwnSkill({ ownSkills, api }: Services): Promise<string> {
  if (ownSkills.has(NAME)) return "";
  await api.ownSkills.create({ files: [{ path: "SKILL.md", text: write(FIRST) }, ...FILES.slice(0, 1)] });
  await api.ownSkills.update({ name: NAME, files: [{ path: "SKILL.md", text: write(SECOND) }, ...FILES] });
  return `, the skill ${NAME}`;
}
