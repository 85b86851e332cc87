import type { ReactNode } from "react";

/** The only content of a page for users who are not signed in. */
export function AuthCard({ title, text, children }: { title: string; text?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-full flex-col items-center px-4 py-[12dvh]">
      <p className="mb-4 flex items-center gap-2 font-semibold text-base">
        <span aria-hidden className="grid size-4.5 shrink-0 place-items-center rounded-sm bg-text">
          <span className="size-2 rounded-[2px] border-[1.5px] border-bg" />
        </span>
        Toolroom
      </p>
      <section aria-labelledby="auth-title" className="w-full max-w-sm rounded-xl border border-line2 bg-panel p-5">
        <h1 id="auth-title" className="font-semibold text-lg">
          {title}
        </h1>
        {text !== undefined && <div className="mt-1 text-mute">{text}</div>}
        <div className="mt-4">{children}</div>
      </section>
    </div>
  );
}
