import { cx } from "./class-names";
import { Link } from "./link";

interface LinkTabsProps<Href extends string> {
  label: string;
  /** The pages of a group, listed after its name. */
  pages: readonly { href: Href; label: string; group?: string }[];
  current: Href;
}

/** Scrolls the current tab into view: on a phone the list is wider than the window. */
function showCurrent(list: HTMLUListElement | null): void {
  list?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

/** Links to pages that belong together, which look like tabs, since each has its own address. */
export function LinkTabs<Href extends string>({ label, pages, current }: LinkTabsProps<Href>) {
  return (
    <nav aria-label={label} className="border-line border-b">
      <ul ref={showCurrent} className="flex gap-4.5 overflow-x-auto px-4 [&::-webkit-scrollbar]:hidden">
        {pages.map((page, at) => (
          <li key={page.href} className="flex items-center gap-3">
            {page.group !== undefined && page.group !== pages[at - 1]?.group && (
              <span className={cx("whitespace-nowrap text-mute text-xs", at > 0 && "border-line border-l pl-4.5")}>
                {page.group}
              </span>
            )}
            <Link
              href={page.href}
              aria-current={page.href === current ? "page" : undefined}
              className="-outline-offset-2 block whitespace-nowrap border-transparent border-b-2 pt-2 pb-2 text-center text-mute max-sm:min-w-10 max-sm:py-2.5 text-sm hover:text-text aria-[current=page]:border-text aria-[current=page]:font-medium aria-[current=page]:text-text"
            >
              {page.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
