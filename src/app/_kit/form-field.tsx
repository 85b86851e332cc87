import type { ReactNode } from "react";

interface FormFieldProps {
  id: string;
  label: string;
  /** The definition's key, shown when the label is pointed at. */
  dataKey?: string;
  required?: boolean;
  hint?: ReactNode;
  problems?: readonly string[];
  children: ReactNode;
}

export const hintId = (id: string) => `${id}-hint`;
const problemId = (id: string) => `${id}-problems`;

/** Returns `aria-describedby` for a field's control. */
export function describedBy(id: string, { hint, problems }: { hint: boolean; problems: readonly string[] }) {
  const ids = [hint && hintId(id), problems.length > 0 && problemId(id)].filter(Boolean);
  return ids.length === 0 ? undefined : ids.join(" ");
}

export function FormField({ id, label, dataKey, required = false, hint, problems = [], children }: FormFieldProps) {
  return (
    <div className="min-w-0">
      <label htmlFor={id} title={dataKey} className="mb-1 flex items-baseline gap-1.5 font-medium">
        {label}
        {required && (
          <span className="text-bad">
            <span aria-hidden>•</span>
            <span className="sr-only">required</span>
          </span>
        )}
      </label>
      {children}
      {hint !== undefined && (
        <p id={hintId(id)} className="mt-1 text-mute text-xs">
          {hint}
        </p>
      )}
      <FieldProblems id={id} problems={problems} />
    </div>
  );
}

export function FieldProblems({ id, problems }: { id: string; problems: readonly string[] }) {
  if (problems.length === 0) return null;
  return (
    <ul id={problemId(id)} className="mt-1 text-bad text-xs [overflow-wrap:anywhere]">
      {problems.map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </ul>
  );
}
