import type { ReactNode } from "react";
import { cx } from "./class-names";

interface PageHeaderProps {
  title: string;
  /** Names and ids are data. */
  mono?: boolean;
  /** The icon before the title. */
  icon?: ReactNode;
  /** Badges beside the title. */
  badges?: ReactNode;
  /** Figures and buttons at the end. */
  actions?: ReactNode;
  /** A row of tabs or filters, which brings the line beneath with it. */
  children?: ReactNode;
}

/** The head of a page: its title and the actions on the whole page. */
export function PageHeader({ title, mono = false, icon, badges, actions, children }: PageHeaderProps) {
  return (
    <header className={cx("shrink-0 bg-panel", children === undefined && "border-line border-b")}>
      <div
        className={cx(
          "flex min-h-13 flex-wrap items-center gap-x-2.5 gap-y-1.5 px-4 pt-2.5",
          children === undefined && "pb-2.5",
        )}
      >
        {icon}
        <h1 className={cx("min-w-0 font-semibold text-lg [overflow-wrap:anywhere]", mono && "font-mono")}>
          <bdi>{title}</bdi>
        </h1>
        {badges}
        {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </header>
  );
}
