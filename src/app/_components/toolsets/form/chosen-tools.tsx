import { X } from "lucide-react";
import { useId, useState } from "react";
import { FieldProblems } from "@/app/_kit/form-field";
import { findField, sortProblems } from "@/app/_kit/problems";
import { Badge } from "@/app/_ui/badge";
import { Button, IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { ShowMore } from "@/app/_ui/show-more";
import { describeProblem, type Problem } from "@/lib/contract/problem";
import { formatCount, formatPlural } from "@/lib/format";
import type { ChosenTool } from "./choose-tools";
import { ArgumentRules, LensFields, MoreFields } from "./override-fields";
import { NO_OVERRIDE, OVERRIDE_FORM, type OverrideDraft, type OverrideDrafts } from "./toolset-fields";
import { NO_TEXTS, type ToolTexts, useToolTexts } from "./use-tool-texts";

/** Rows rendered in one step. */
const STEP = 50;
const OVERRIDES = "overrides";

interface ChosenToolsProps {
  tools: readonly ChosenTool[];
  overrides: OverrideDrafts;
  /** Estimated tokens of the tools that clients receive; null while it is not known. */
  tokens: number | null;
  /** The problems of the whole toolset, as the server or the form names them. */
  problems: readonly Problem[];
  onChange: (tool: string, part: Partial<OverrideDraft>) => void;
  onRemove: (tool: ChosenTool) => void;
}

/** The tools of the set in the order in which they were chosen, each with what the set changes. */
export function ChosenTools({ tools, overrides, tokens, problems, onChange, onRemove }: ChosenToolsProps) {
  const [limit, setLimit] = useState(STEP);
  const rows = tools.slice(0, limit);
  const texts = useToolTexts(rows.map(({ name }) => name));
  const names = Object.keys(overrides);
  const found = problems
    .map(({ path, message }) => ({ path: path.replace(/^toolset\./, ""), message }))
    .filter(({ path }) => path.startsWith(OVERRIDES))
    .map((problem) => ({ problem, tool: getTool(problem, names) }));
  const elsewhere = found.filter(({ tool }) => !rows.some(({ name }) => name === tool));
  return (
    <section aria-labelledby="toolset-tools" className="min-w-0">
      <h2 id="toolset-tools" className="mb-1 flex items-baseline gap-2 font-medium">
        Chosen
        <span role="status" className="font-normal text-mute text-xs tabular-nums">
          {formatPlural(tools.length, "tool")}
          {tokens !== null && tools.length > 0 && ` · ≈ ${formatCount(tokens)} tokens`}
        </span>
      </h2>
      <FieldProblems id="toolset-overrides" problems={elsewhere.map(({ problem }) => describeProblem(problem))} />
      {tools.length === 0 ? (
        <p className="rounded-lg border border-line2 border-dashed p-3.5 text-mute">
          Check tools in the catalog. Here you rename them, hide arguments and reduce results.
        </p>
      ) : (
        <ul aria-label="Tools of the set" className="rounded-lg border border-line bg-panel">
          {rows.map((tool) => (
            <ToolRow
              key={tool.name}
              tool={tool}
              texts={texts.get(tool.name) ?? NO_TEXTS}
              override={overrides[tool.name] ?? NO_OVERRIDE}
              problems={found.flatMap((each) => (each.tool === tool.name ? each.problem : []))}
              onChange={(part) => onChange(tool.name, part)}
              onRemove={() => onRemove(tool)}
            />
          ))}
        </ul>
      )}
      <ShowMore rest={tools.length - limit} onMore={() => setLimit(limit + STEP)} />
    </section>
  );
}

/** The panels that open below a row, each with the fields that it edits. */
const PARTS = {
  arguments: ["arguments"],
  lens: ["lens"],
  more: ["title", "description", "approval", "timeoutMs", "meta"],
} as const;
type Part = keyof typeof PARTS;

interface ToolRowProps {
  tool: ChosenTool;
  texts: ToolTexts;
  override: OverrideDraft;
  problems: readonly Problem[];
  onChange: (part: Partial<OverrideDraft>) => void;
  onRemove: () => void;
}

function ToolRow({ tool, texts, override, problems, onChange, onRemove }: ToolRowProps) {
  const id = useId();
  const [open, setOpen] = useState<Part | null>(null);
  const root = `${OVERRIDES}.${tool.name}`;
  // Problems of arguments, and of what is closed, are listed at the tool.
  const edited = ["name", ...(open === null || open === "arguments" ? [] : PARTS[open])];
  const sorted = sortProblems(problems, edited, root);
  const form = {
    fields: OVERRIDE_FORM.fields,
    draft: override,
    change: onChange,
    isShown: () => true,
    findProblems: (path: string) => sorted[path] ?? [],
    revealed: null,
    reveal: () => undefined,
  };
  const isWrong = (part: Part): boolean =>
    open !== part &&
    problems.some(
      ({ path }) =>
        findField(
          path,
          PARTS[part].map((field) => `${root}.${field}`),
        ) !== "",
    );
  const names = [...new Set([...tool.arguments, ...Object.keys(override.arguments)])];
  const shown = names.filter((name) => !/fixed|hidden/.test(override.arguments[name]?.mode ?? "")).length;
  const parts: readonly [part: Part, label: string, isSet: boolean][] = [
    [
      "arguments",
      shown === names.length ? formatPlural(shown, "argument") : `${shown} of ${names.length} arguments`,
      Object.keys(override.arguments).length > 0,
    ],
    ["lens", "Lens", override.lens.mode !== ""],
    ["more", "More", PARTS.more.some((field) => override[field] !== "")],
  ];
  return (
    <li data-row={tool.name} className="border-line border-b px-2 py-1.5 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-1.5 gap-y-1">
        <Input
          aria-label={`Name of ${tool.name}`}
          aria-describedby={sorted.name && `${id}-name-problems`}
          data-field="name"
          value={override.name}
          placeholder={tool.name}
          invalid={sorted.name !== undefined}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          title="Rename for clients"
          onChange={({ target }) => onChange({ name: target.value })}
          className="h-7! grow max-sm:h-10! basis-44 not-hover:not-focus:not-aria-invalid:border-transparent bg-transparent! px-1.5! font-medium font-mono text-xs! placeholder:text-text"
        />
        {tool.missing && <Badge tone="warn">not in the catalog</Badge>}
        {tool.leftOut && <Badge tone="bad">left out</Badge>}
        {tool.pinned && <Badge tone="accent">pinned</Badge>}
        <span className="ml-auto flex items-center">
          {parts.map(([part, label, isSet]) => (
            <Button
              key={part}
              variant="ghost"
              aria-expanded={open === part}
              aria-controls={open === part ? `${id}-part` : undefined}
              data-wrong={isWrong(part) ? "" : undefined}
              onClick={() => setOpen(open === part ? null : part)}
              className={cx("px-1.5! aria-expanded:bg-rail", isSet ? "text-accent!" : "aria-expanded:text-text")}
            >
              {label}
              <span className="sr-only"> of {tool.name}</span>
            </Button>
          ))}
          <IconButton
            icon={X}
            label={`Remove ${tool.name}`}
            title={tool.byPattern ? "Selected by a pattern: change it under Advanced" : "Remove"}
            disabled={tool.byPattern}
            onClick={onRemove}
          />
        </span>
      </div>
      <p className="min-h-4 truncate px-1.5 text-mute text-xs">
        {override.name.trim() !== "" && (
          <Link
            href={`/tools/${encodeURIComponent(tool.name)}`}
            className="mr-1.5 inline-block py-1 font-mono hover:underline max-sm:py-3"
          >
            {tool.name}
          </Link>
        )}
        <bdi title={texts.description}>{texts.description}</bdi>
      </p>
      <FieldProblems id={`${id}-name`} problems={sorted.name ?? []} />
      <FieldProblems id={`${id}-tool`} problems={sorted[""] ?? []} />
      {open !== null && (
        <div id={`${id}-part`} className="mt-1.5 mb-1 px-1.5">
          {open === "arguments" && (
            <ArgumentRules
              names={names}
              rules={override.arguments}
              onChange={(rules) => onChange({ arguments: rules })}
            />
          )}
          {open === "lens" && <LensFields form={form} />}
          {open === "more" && <MoreFields form={form} texts={texts} />}
        </div>
      )}
    </li>
  );
}

/** Returns the tool of a problem below `overrides.<tool>`: names may have dots, so the longest one counts. Empty for none. */
function getTool({ path }: Problem, tools: readonly string[]): string {
  const paths = tools.map((tool) => `${OVERRIDES}.${tool}`);
  return findField(path, paths).slice(OVERRIDES.length + 1);
}
