import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { cx } from "@/app/_ui/class-names";
import { useTimeZone } from "@/app/_ui/time-zone";
import { APP_SANDBOX, toDeclared, toFramePath } from "@/lib/apps/app-policy";
import { toAddress } from "@/lib/base-path";
import type { AppDocument, AppRequest } from "@/lib/contract/app";
import { isPlainObject } from "@/lib/contract/json";
import { AppBridge, type AppOutcome } from "./app-bridge";
import type { DisplayMode } from "./app-messages";
import { hostContext, watchTheme } from "./host-context";

interface AppFrameProps {
  app: AppDocument;
  input: Record<string, unknown>;
  outcome: AppOutcome;
  mode: DisplayMode;
  onMode: (mode: DisplayMode) => void;
  call: (tool: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>;
  request: (method: AppRequest, uri?: string) => Promise<Record<string, unknown>>;
  openLink: (url: string) => Promise<boolean>;
  offerMessage: ((text: string) => Promise<boolean>) | null;
  updateContext: ((text: string) => void) | null;
  onLog: (level: string, text: string) => void;
  onClose: () => void;
  /** Set to end the App: called once it has had time to. */
  ending: (() => void) | null;
  onStop: (reason: string) => void;
}

const MIN_HEIGHT = 60;
const FIRST_HEIGHT = 240;
/** A taller App scrolls in itself. */
const MAX_HEIGHT = 640;
const LOAD_MS = 15_000;
/** The loads of the frame itself: the empty frame, and the App that is written into it. */
const OWN_LOADS = 2;

/** An App in its sandbox: it starts when this appears, once, and ends with it. */
export function AppFrame(props: AppFrameProps) {
  const { app, mode, ending } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  const bridge = useRef<AppBridge | null>(null);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const timeZone = useTimeZone();
  const loads = useRef(0);

  const buildContext = (shown: DisplayMode): Record<string, unknown> =>
    readContext(frame.current, app, shown, timeZone);
  const setMode = useEffectEvent((wanted: DisplayMode): DisplayMode => {
    // An App may cover the console only while the user works in it.
    const allowed = wanted === "inline" || (wanted === "fullscreen" && document.activeElement === frame.current);
    if (!allowed || bridge.current?.supports(wanted) !== true) return mode;
    props.onMode(wanted);
    return wanted;
  });
  const createBridge = useEffectEvent((target: Window): AppBridge => {
    const { call, request, openLink, offerMessage, updateContext, onLog, onClose, onStop, input, outcome } = props;
    return new AppBridge({
      call,
      request,
      openLink,
      offerMessage,
      updateContext,
      onClose,
      onStop,
      input,
      outcome,
      setMode,
      context: () => buildContext(mode),
      post: (message) => target.postMessage(message, "*"),
      capabilities: listCapabilities(app, offerMessage !== null, updateContext !== null),
      setHeight: (wanted) => setHeight(Math.round(Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, wanted)))),
      log: onLog,
      now: () => performance.now(),
    });
  });
  const stop = useEffectEvent((reason: string): void => props.onStop(reason));

  // Outside system: the window of the App, which has no origin, so that it is known by its identity alone.
  useEffect(() => {
    const target = frame.current?.contentWindow;
    if (!target) return;
    const current = createBridge(target);
    bridge.current = current;
    let written = false;
    const onMessage = (event: MessageEvent): void => {
      if (event.source !== target || event.origin !== "null") return;
      current.receive(() => {
        const data: unknown = event.data;
        if (!isPlainObject(data) || data.toolroom !== "app-frame-ready") return data;
        // The frame says this once: an App that says it has loaded another page, whose policy may be another.
        if (written) stop("it left its page");
        else target.postMessage({ html: app.html }, "*");
        written = true;
        return null;
      });
    };
    const late = setTimeout(() => {
      if (!written) stop("its frame did not load");
    }, LOAD_MS);
    window.addEventListener("message", onMessage);
    return () => {
      clearTimeout(late);
      window.removeEventListener("message", onMessage);
      current.end();
      bridge.current = null;
    };
  }, [app.html]);

  // Outside system: the App, which may have something to save.
  useEffect(() => {
    if (ending !== null) void bridge.current?.tearDown().then(ending);
  }, [ending]);

  useContextChanges(frame, bridge, mode, buildContext);

  return (
    <iframe
      ref={frame}
      title={`App of ${app.server}`}
      src={toAddress(toFramePath(app.domains))}
      sandbox={APP_SANDBOX}
      referrerPolicy="no-referrer"
      onLoad={() => {
        loads.current += 1;
        if (loads.current > OWN_LOADS) props.onStop("it left its page");
      }}
      className={cx("block w-full border-0", mode === "fullscreen" && "min-h-0 flex-1")}
      style={mode === "fullscreen" ? {} : { height }}
    />
  );
}

/** Tells the App when the page's theme, its room or its mode changes. */
function useContextChanges(
  frame: RefObject<HTMLIFrameElement | null>,
  bridge: RefObject<AppBridge | null>,
  mode: DisplayMode,
  buildContext: (mode: DisplayMode) => Record<string, unknown>,
): void {
  const newest = useEffectEvent(buildContext);
  // Outside system: the page's theme and the room that the App has.
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const tell = (): void => {
      const { toolInfo: _same, ...changed } = newest(mode);
      bridge.current?.changeContext(changed);
    };
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      tell();
    });
    observer.observe(element);
    const unwatch = watchTheme(tell);
    if (bridge.current !== null) tell();
    return () => {
      observer.disconnect();
      unwatch();
    };
  }, [frame, bridge, mode]);
}

function readContext(frame: HTMLIFrameElement | null, { tool }: AppDocument, mode: DisplayMode, timeZone: string) {
  const { clientWidth: width = 0, clientHeight = 0 } = frame ?? {};
  return hostContext({ tool, mode, width, maxHeight: mode === "inline" ? MAX_HEIGHT : clientHeight, timeZone });
}

function listCapabilities({ domains }: AppDocument, takesMessages: boolean, takesContext: boolean) {
  return {
    openLinks: {},
    serverTools: {},
    serverResources: {},
    logging: {},
    ...(takesMessages && { message: { text: {} } }),
    ...(takesContext && { updateModelContext: { text: {}, structuredContent: {} } }),
    sandbox: { csp: toDeclared(domains), permissions: {} },
  };
}
