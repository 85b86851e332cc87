import { toRuleId } from "../../contract/change-rules";
import type { JsonSchema } from "../../contract/json";
import { findDialectDoubt } from "../dialect";
import { ChangeList, shorten } from "./change-list";
import { Containment } from "./containment";
import { otherSide } from "./prover";
import { BY_CONVENTION, CONVENTION, type Direction, SchemaComparison } from "./schema-comparison";

/**
 * Tells how what a tool takes (`sent`) or answers (`answered`) changed. Without a breaking sentence it is proven that no
 * value which has to fit stops to fit; `BY_CONVENTION` names the only exception.
 */
export function compareSchemas(before: JsonSchema, after: JsonSchema, direction: Direction): ChangeList {
  const changes = new ChangeList();
  const proof = new Containment(before, after);
  const [inner, outer] = direction === "sent" ? [before, after] : [after, before];
  const side = direction === "sent" ? "before" : "after";
  const doubt = findDialectDoubt(before, after);
  const isProven = doubt === null && proof.proves(inner, side, outer);
  const isCompatible = isProven || (doubt === null && direction === "sent" && proof.proves(inner, side, outer, true));
  const excepted = [...proof.excepted];
  const comparison = new SchemaComparison({ before, after, direction, proof, isProven });
  comparison.compare(before, after, "", 0, changes);
  const whole = direction === "sent" ? "the input schema" : "the output schema";
  const unproven = toRuleId(direction === "sent" ? "input" : "output", "unproven", "breaking");
  if (comparison.isCut || (proof.isCut && !isCompatible)) {
    changes.add("breaking", `${whole} changed and is too large to compare in full`, unproven);
  } else if (doubt !== null) changes.add("breaking", `${whole} may break: ${doubt}`, unproven);
  else if (!isCompatible && changes.strongest !== "breaking") {
    const values =
      direction === "sent" ? "every call that was valid stays valid" : "every result fits the former schema";
    changes.add("breaking", `${whole} may break: it is not proven that ${values}`, unproven);
  }
  if (changes.strongest === null && !new Containment(before, after).proves(outer, otherSide(side), inner)) {
    // The walk does not describe what refers to itself.
    changes.add(
      "additive",
      `${whole} now takes ${direction === "sent" ? "more" : "less"} than before`,
      COMPATIBLE[direction],
    );
  }
  if (isProven || changes.strongest === "breaking") return changes;
  // The walk names an excepted property where it was added, but not one of an alternative.
  const told = changes.list().flatMap(({ rule, sentence }) => (rule === CONVENTION ? [sentence] : []));
  for (const name of excepted.map(shorten)) {
    if (told.some((sentence) => sentence.includes(`${name}'`) || sentence.includes(JSON.stringify(name)))) continue;
    changes.add("additive", `${whole} describes '${name}' now (${BY_CONVENTION})`, CONVENTION);
  }
  return changes;
}

const COMPATIBLE: Readonly<Record<Direction, string>> = { sent: "input.compatible", answered: "output.compatible" };
