"use client";

import { X } from "lucide-react";
import { createContext, type ReactNode, type RefObject, use, useCallback, useEffect, useRef, useState } from "react";
import { Button, IconButton } from "./button";
import { cx } from "./class-names";

export interface ToastInput {
  title: string;
  tone?: "neutral" | "ok" | "warn" | "bad";
  action?: { label: string; onClick: () => void };
}

interface ShownToast extends ToastInput {
  id: number;
}

const SHOWN_MS = 5_000;
/** Long enough to reach an undo with the keyboard. */
const SHOWN_WITH_ACTION_MS = 12_000;
const MAX_SHOWN = 4;

const ToastContext = createContext<((toast: ToastInput) => void) | null>(null);

/** Reports outcomes. A toast disappears after a while, so it must never be the only place of an error. */
export function useToast(): (toast: ToastInput) => void {
  const toast = use(ToastContext);
  if (toast === null) throw new Error("useToast needs a ToastProvider above it");
  return toast;
}

function useTimedToasts() {
  const [toasts, setToasts] = useState<ShownToast[]>([]);
  const timers = useRef(new Map<number, ReturnType<typeof setTimeout>>());
  const lastId = useRef(0);

  const dismiss = useCallback((id: number) => {
    clearTimeout(timers.current.get(id));
    timers.current.delete(id);
    setToasts((shown) => shown.filter((toast) => toast.id !== id));
  }, []);
  // Outside system: timers, which would outlive the component.
  useEffect(() => () => timers.current.forEach(clearTimeout), []);
  const hold = useCallback((id: number) => clearTimeout(timers.current.get(id)), []);
  const release = useCallback(
    (id: number, ms: number) => {
      clearTimeout(timers.current.get(id));
      const timer = setTimeout(() => dismiss(id), ms);
      timers.current.set(id, timer);
    },
    [dismiss],
  );
  const show = useCallback(
    (input: ToastInput) => {
      lastId.current += 1;
      const id = lastId.current;
      setToasts((shown) => [...shown, { ...input, id }].slice(-MAX_SHOWN));
      release(id, input.action ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
    },
    [release],
  );
  return { toasts, show, dismiss, hold, release };
}

/** The distance from the bottom of the window, above the footer of a form. */
const REST_PX = 64;
const GAP_PX = 8;
const CHECK_MS = 200;
/** Selects the main controls of a page or a dialog. */
const CONTROLS = '[data-variant="primary"], [type="submit"]';

/** Distance of the notices from the bottom of the window: above the controls that they would cover there. */
function useClearance(list: RefObject<HTMLElement | null>, isShown: boolean): number {
  const [bottom, setBottom] = useState(REST_PX);
  // Outside system: the layout of the page, which scrolls and changes beneath the notices.
  useEffect(() => {
    if (!isShown) return;
    const place = (): void => {
      // A toast under the pointer does not move.
      if (list.current?.matches(":hover") === false) setBottom(findClearance(list.current.getBoundingClientRect()));
    };
    place();
    const timer = setInterval(place, CHECK_MS);
    return () => clearInterval(timer);
  }, [list, isShown]);
  return bottom;
}

function findClearance({ left, right, height }: DOMRect): number {
  const boxes = [...document.querySelectorAll(CONTROLS)].map((control) => control.getBoundingClientRect());
  let foot = window.innerHeight - REST_PX;
  for (const box of boxes.sort((one, other) => other.bottom - one.bottom)) {
    const isBeneath = box.height > 0 && box.right > left && box.left < right;
    if (isBeneath && box.top < foot && box.bottom > foot - height) foot = box.top - GAP_PX;
  }
  return foot < height ? REST_PX : window.innerHeight - foot;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const { toasts, show, dismiss, hold, release } = useTimedToasts();
  const list = useRef<HTMLUListElement>(null);
  const bottom = useClearance(list, toasts.length > 0);
  return (
    <ToastContext value={show}>
      <div className="h-dvh">{children}</div>
      {/* Rendered above the page, which does not move. */}
      <section aria-label="Notifications" aria-live="polite">
        {toasts.length > 0 && (
          <ul
            ref={list}
            style={{ bottom }}
            className="pointer-events-none fixed right-4 z-60 flex max-w-[calc(100vw-2rem)] flex-col items-end gap-2"
          >
            {toasts.map((toast) => (
              <ToastCard
                key={toast.id}
                toast={toast}
                onDismiss={() => dismiss(toast.id)}
                onHold={() => hold(toast.id)}
                onRelease={() => release(toast.id, SHOWN_MS)}
              />
            ))}
          </ul>
        )}
      </section>
    </ToastContext>
  );
}

const DOT = { neutral: "bg-faint", ok: "bg-ok", warn: "bg-warn", bad: "bg-bad" } as const;

interface ToastCardProps {
  toast: ToastInput;
  onDismiss: () => void;
  onHold: () => void;
  onRelease: () => void;
}

function ToastCard({ toast, onDismiss, onHold, onRelease }: ToastCardProps) {
  return (
    <li
      onMouseEnter={onHold}
      onMouseLeave={onRelease}
      onFocus={onHold}
      onBlur={onRelease}
      className="pointer-events-auto flex max-w-full items-center gap-2.5 rounded-lg border border-line2 bg-panel py-1 pr-1 pl-3 shadow-pop"
    >
      <span aria-hidden className={cx("size-2 shrink-0 rounded-full", DOT[toast.tone ?? "neutral"])} />
      <span className="min-w-0 [overflow-wrap:anywhere]">{toast.title}</span>
      {toast.action && (
        <Button
          onClick={() => {
            toast.action?.onClick();
            onDismiss();
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <IconButton icon={X} label="Dismiss" onClick={onDismiss} />
    </li>
  );
}
