import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import type { Pages } from "./use-pages";

interface ListEndProps {
  pages: Pages<unknown>;
  /** The rows are not newest first: what follows is not older. */
  sorted?: boolean;
}

/** The end of a list that is read page by page. */
export function ListEnd({ pages, sorted = false }: ListEndProps) {
  const { error, hasMore, loadingMore, loadMore, refetch } = pages;
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-3 text-mute text-xs empty:hidden">
      {error && (
        <p role="alert" className="text-bad">
          Couldn't load the list: {error.message} <Button onClick={() => void refetch()}>Try again</Button>
        </p>
      )}
      {hasMore && (
        <Button disabled={loadingMore} onClick={loadMore}>
          {loadingMore ? "Loading…" : sorted ? "Load more" : "Load older"}
        </Button>
      )}
    </div>
  );
}

/** The end of a list inside a panel. */
export function PanelListEnd({ pages, className }: { pages: Pages<unknown>; className: string }) {
  return (
    <>
      {pages.error !== null && (
        <p role="alert" className={cx("py-2 text-bad text-xs", className)}>
          The list may be out of date: {pages.error.message}
        </p>
      )}
      {pages.hasMore && (
        <div className="flex justify-center p-3">
          <Button disabled={pages.loadingMore} onClick={pages.loadMore}>
            {pages.loadingMore ? "Reading…" : "Show more"}
          </Button>
        </div>
      )}
    </>
  );
}
