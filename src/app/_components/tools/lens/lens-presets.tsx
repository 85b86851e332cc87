"use client";

import { useId, useState } from "react";
import { Button } from "@/app/_ui/button";
import { CHECKBOX } from "@/app/_ui/checkbox";
import { Input } from "@/app/_ui/field";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { buildExpression, readShape } from "./build-expression";

interface LensPresetsProps {
  /** JSON of a stored result's data. */
  example: string;
  onUse: (expression: string) => void;
}

/** Makes an expression from what a stored result has: some fields, the first items of its list. */
export function LensPresets({ example, onUse }: LensPresetsProps) {
  const id = useId();
  const shape = readShape(JSON.parse(example));
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [first, setFirst] = useState("");
  if (shape.list === null && shape.fields.length === 0) return null;
  const count = Number.parseInt(first, 10);
  const isEmpty = chosen.length === 0 && !(count > 0);
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Build from a stored result</legend>
      {shape.list !== null && (
        <label htmlFor={id} className="flex flex-wrap items-center gap-2 text-sm">
          Keep the first
          <Input
            id={id}
            inputMode="numeric"
            value={first}
            placeholder="all"
            className="max-w-20"
            onChange={({ target }) => setFirst(target.value.replace(/\D/g, "").slice(0, 6))}
          />
          items of <code>{shape.list === "" ? "the list" : shape.list}</code>
        </label>
      )}
      <ScrollRegion label="Fields" className="max-h-48 rounded-md border border-line">
        {shape.fields.map((field) => (
          <label key={field} className="flex items-center gap-2 px-2.5 py-1 hover:bg-rail">
            <input
              type="checkbox"
              className={CHECKBOX}
              checked={chosen.includes(field)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, field] : chosen.filter((each) => each !== field))
              }
            />
            <code className="[overflow-wrap:anywhere]">{field}</code>
          </label>
        ))}
      </ScrollRegion>
      <Button
        className="self-start"
        disabled={isEmpty}
        onClick={() =>
          onUse(
            buildExpression(
              shape,
              shape.fields.filter((field) => chosen.includes(field)),
              count > 0 ? count : null,
            ),
          )
        }
      >
        Use as expression
      </Button>
    </fieldset>
  );
}
