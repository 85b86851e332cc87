import { Ajv2020 } from "ajv/dist/2020.js";
import type { Principal } from "../../../../lib/contract/access";
import type { Method } from "../../../platform/api/route";
import type { RequestQuota } from "../../../platform/shared/rate-limiter";
import type { Container } from "../../container";
import { answerRest, findPath } from "./answer-rest";
import { describeApi, SchemaWriter } from "./openapi";
import { ROUTES } from "./routes";

export interface Asked {
  method: Method | "HEAD" | "OPTIONS" | "TRACE";
  /** Below `/api/v1`. */
  address: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Null sends no credential. */
  actor: Principal | null;
}

interface RestClientOptions {
  quota?: RequestQuota | null;
  onLog?: (fields: object) => void;
}

let known: { document: object; ajv: Ajv2020 } | null = null;

/** The document whose objects have no other keys, made once. */
function readDocument(): { document: object; ajv: Ajv2020 } {
  if (known !== null) return known;
  const document = describeApi(ROUTES, "9.9.9", new SchemaWriter(true));
  known = { document, ajv: new Ajv2020({ strict: false, validateFormats: false, schemas: { document } }) };
  return known;
}

/** Why an answer is not what the document says of it; null where it is. */
async function explainAnswer({ method, address }: Asked, response: Response): Promise<string | null> {
  const route = findPath(address.split("?")[0] ?? "")?.routes.get(method);
  if (route === undefined || response.status === 405) return null;
  const { document, ajv } = readDocument();
  const pointer = ["paths", route.path, method.toLowerCase(), "responses", String(response.status)];
  const described = pointer.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], document);
  if (described === undefined) return `${method} ${route.path} answers ${response.status}, which the document lacks`;
  if (response.status === 204 || route.contentType !== undefined) return null;
  const place = pointer.map((part) => encodeURIComponent(part.replaceAll("/", "~1"))).join("/");
  const validate = ajv.getSchema(`document#/${place}/content/application~1json/schema`);
  if (validate === undefined) return `${method} ${route.path} ${response.status} has no schema`;
  const isValid = validate(await response.clone().json());
  return isValid ? null : `${method} ${route.path}: ${ajv.errorsText(validate.errors)}`;
}

/** Asks the REST API in memory. Every answer has to be what the document says of it, with no other keys. */
export function createRestClient(
  { services, stopping }: Pick<Container, "services" | "stopping">,
  { quota = null, onLog = () => undefined }: RestClientOptions = {},
) {
  return async function ask(asked: Asked): Promise<Response> {
    const { method, address, body, headers = {}, actor } = asked;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const given = body === undefined ? {} : { body: text };
    const request = new Request(`http://localhost:3000/api/v1${address}`, {
      method: method === "TRACE" ? "GET" : method,
      ...given,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    });
    const response = await answerRest(request, {
      createContext: async () => ({
        actor,
        refusal: null,
        sessionId: null,
        source: "api",
        services,
        stopping,
        recheck: async () => actor,
      }),
      readQuota: async () => quota,
      version: "9.9.9",
      logger: { error: onLog, debug: onLog },
    });
    const problem = await explainAnswer(asked, response);
    if (problem !== null) throw new Error(problem);
    return response;
  };
}
