import { MAX_BULK_BYTES, MAX_OPERATIONS } from "./scim-bulk";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
export const USER_SCHEMA = `${CORE}:User`;
export const GROUP_SCHEMA = `${CORE}:Group`;
const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
export const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";
export const MAX_RESULTS = 200;

const text = (name: string, more: object = {}) => ({
  name,
  type: "string",
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...more,
});
const flag = (name: string) => ({
  name,
  type: "boolean",
  multiValued: false,
  required: false,
  mutability: "readWrite",
  returned: "default",
});
const complex = (name: string, multiValued: boolean, subAttributes: object[], more: object = {}) => ({
  name,
  type: "complex",
  multiValued,
  required: false,
  mutability: "readWrite",
  returned: "default",
  subAttributes,
  ...more,
});

const SCHEMAS = [
  {
    id: USER_SCHEMA,
    name: "User",
    description: "A user of Toolroom",
    attributes: [
      text("userName", { required: true, uniqueness: "server" }),
      text("displayName"),
      complex("name", false, [text("formatted"), text("givenName"), text("familyName")]),
      complex("emails", true, [text("value"), text("type"), flag("primary")]),
      flag("active"),
      complex("groups", true, [text("value"), text("display")], { mutability: "readOnly" }),
    ],
  },
  {
    id: GROUP_SCHEMA,
    name: "Group",
    description: "A group of users, which gives them a role",
    attributes: [
      text("displayName", { required: true, uniqueness: "server" }),
      complex("members", true, [text("value", { mutability: "immutable" }), text("display")]),
    ],
  },
];

const RESOURCE_TYPES = [
  { id: "User", name: "User", endpoint: "/Users", schema: USER_SCHEMA },
  { id: "Group", name: "Group", endpoint: "/Groups", schema: GROUP_SCHEMA },
];

const CONFIG = {
  patch: { supported: true },
  bulk: { supported: true, maxOperations: MAX_OPERATIONS, maxPayloadSize: MAX_BULK_BYTES },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "The token of Settings → People",
      primary: true,
    },
  ],
};

const meta = (resourceType: string, location: string) => ({ resourceType, location });

export const toList = (resources: readonly object[], total: number, startIndex: number) => ({
  schemas: [LIST_SCHEMA],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

/**
 * What this service provider can do (RFC 7643, sections 5 to 7).
 * @param base the address of `/scim/v2` @returns null for an unknown resource
 */
export function describeProvider(kind: string, id: string | undefined, base: string): object | null {
  if (kind === "ServiceProviderConfig" && id === undefined) {
    const location = `${base}/ServiceProviderConfig`;
    return {
      schemas: [`${CORE}:ServiceProviderConfig`],
      ...CONFIG,
      meta: meta("ServiceProviderConfig", location),
    };
  }
  const resources =
    kind === "Schemas"
      ? SCHEMAS.map((schema) => ({
          schemas: [`${CORE}:Schema`],
          ...schema,
          meta: meta("Schema", `${base}/Schemas/${schema.id}`),
        }))
      : kind === "ResourceTypes"
        ? RESOURCE_TYPES.map((type) => ({
            schemas: [`${CORE}:ResourceType`],
            ...type,
            meta: meta("ResourceType", `${base}/ResourceTypes/${type.id}`),
          }))
        : null;
  if (resources === null) return null;
  if (id === undefined) return toList(resources, resources.length, 1);
  return resources.find((each) => each.id.toLowerCase() === id.toLowerCase()) ?? null;
}
