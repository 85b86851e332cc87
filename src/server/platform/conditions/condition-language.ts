import type { ConditionLanguage } from "../../engine/rules/rule-ports";
import { compileExpression, compileNumber } from "./evaluate-condition";
import { parseCondition, parsePrice } from "./parse-condition";

/** Conditions in CEL: parsed and checked by a library, evaluated here within a budget of work. */
export function createConditionLanguage(): ConditionLanguage {
  return {
    compile(text) {
      const parsed = parseCondition(text);
      return "problems" in parsed ? parsed : { condition: compileExpression(parsed) };
    },
    compilePrice(text) {
      const parsed = parsePrice(text);
      return "problems" in parsed ? parsed : { price: compileNumber(parsed) };
    },
  };
}
