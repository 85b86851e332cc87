import { Link } from "@/app/_ui/link";

export function Brand({ closed = false }: { closed?: boolean }) {
  return (
    <Link
      href="/"
      aria-label="Toolroom, overview"
      className="flex h-7 items-center gap-2 rounded-md px-2 font-semibold text-base"
    >
      <span aria-hidden className="grid size-4.5 shrink-0 place-items-center rounded-sm bg-text">
        <span className="size-2 rounded-[2px] border-[1.5px] border-bg" />
      </span>
      {!closed && <span>Toolroom</span>}
    </Link>
  );
}
