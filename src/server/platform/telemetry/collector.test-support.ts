import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

interface AnyValue {
  stringValue?: string;
  intValue?: string | number;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: AnyValue[] };
}
interface KeyValue {
  key: string;
  value: AnyValue;
}
type Attributes = Record<string, unknown>;

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  /** As in OTLP: 1 internal, 2 server, 3 client. */
  kind: number;
  /** 2 for an error. */
  status: number;
  links: { traceId: string; spanId: string }[];
  traceState: string;
  attributes: Attributes;
  resource: Attributes;
}

export interface ReceivedMetric {
  name: string;
  unit: string;
  points: { attributes: Attributes; count: number; bounds: number[] }[];
}

const toValue = ({ stringValue, intValue, doubleValue, boolValue, arrayValue }: AnyValue): unknown =>
  arrayValue?.values.map(toValue) ??
  stringValue ??
  (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue));
const toAttributes = (list: KeyValue[] = []): Attributes =>
  Object.fromEntries(list.map(({ key, value }) => [key, toValue(value)]));

/** An OTLP/HTTP collector that keeps what it receives as JSON. */
export class Collector {
  readonly spans: ReceivedSpan[] = [];
  readonly metrics: ReceivedMetric[] = [];
  readonly headers: Record<string, unknown>[] = [];
  /** The status of every answer. */
  status = 200;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      this.headers.push({ ...request.headers, path: request.url });
      const body = Buffer.concat(chunks);
      const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString();
      if (this.status === 200) this.#keep(JSON.parse(text));
      response.writeHead(this.status, { "content-type": "application/json" }).end("{}");
    });
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => collector.#server.listen(0, "127.0.0.1", resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  find(name: string, kind?: number): ReceivedSpan {
    const found = this.spans.find((span) => span.name === name && (kind === undefined || span.kind === kind));
    if (found === undefined) throw new Error(`No span '${name}': ${this.spans.map((span) => span.name).join(", ")}`);
    return found;
  }

  childrenOf(parent: ReceivedSpan): ReceivedSpan[] {
    return this.spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);
  }

  metric(name: string): ReceivedMetric["points"] {
    return this.metrics.filter((metric) => metric.name === name).flatMap(({ points }) => points);
  }

  #keep({ resourceSpans = [], resourceMetrics = [] }: Record<string, OtlpResource[]>): void {
    for (const { resource, scopeSpans = [] } of resourceSpans) {
      for (const span of scopeSpans.flatMap(({ spans = [] }) => spans)) {
        const { traceId, spanId, name, kind, status, links = [], traceState = "" } = span;
        this.spans.push({
          traceId,
          spanId,
          name,
          kind,
          traceState,
          parentSpanId: span.parentSpanId || undefined,
          status: status?.code ?? 0,
          links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
          attributes: toAttributes(span.attributes),
          resource: toAttributes(resource.attributes),
        });
      }
    }
    for (const { scopeMetrics = [] } of resourceMetrics) {
      for (const { name, unit, histogram } of scopeMetrics.flatMap(({ metrics = [] }) => metrics)) {
        const points = histogram.dataPoints.map(({ attributes, count, explicitBounds }) => ({
          attributes: toAttributes(attributes),
          count: Number(count),
          bounds: explicitBounds,
        }));
        this.metrics.push({ name, unit, points });
      }
    }
  }
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  status?: { code?: number };
  links?: { traceId: string; spanId: string }[];
  attributes?: KeyValue[];
}

interface OtlpMetric {
  name: string;
  unit: string;
  histogram: { dataPoints: { attributes?: KeyValue[]; count: number | string; explicitBounds: number[] }[] };
}

interface OtlpResource {
  resource: { attributes?: KeyValue[] };
  scopeSpans?: { spans?: OtlpSpan[] }[];
  scopeMetrics?: { metrics?: OtlpMetric[] }[];
}
