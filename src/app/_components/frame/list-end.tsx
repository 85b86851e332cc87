import { Button } from "@/app/_ui/button";

export interface ListEndProps {
  pages: {
    rows: readonly unknown[];
    error: { message: string } | null;
    hasOlder: boolean;
    loadingOlder: boolean;
    loadOlder: () => unknown;
    refetch: () => unknown;
  };
  /** Below the oldest of all. */
  beginning: string;
}

/** What stands below a list that grows towards the past. */
export function ListEnd({ pages, beginning }: ListEndProps) {
  const { rows, error, hasOlder, loadingOlder, loadOlder, refetch } = pages;
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-3 text-mute text-xs empty:hidden">
      {error && (
        <p role="alert" className="text-bad">
          The list could not be read: {error.message} <Button onClick={() => void refetch()}>Try again</Button>
        </p>
      )}
      {hasOlder && (
        <Button disabled={loadingOlder} onClick={() => void loadOlder()}>
          {loadingOlder ? "Loading…" : "Show older"}
        </Button>
      )}
      {!hasOlder && rows.length > 0 && <p>{beginning}</p>}
    </div>
  );
}
