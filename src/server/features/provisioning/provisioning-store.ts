import type { User } from "../../../lib/contract/account";
import type { UserAttributes } from "./scim-attributes";

export interface ProvisionedUser {
  user: Pick<User, "id" | "name" | "email" | "role" | "disabledAt">;
  attributes: UserAttributes;
  groups: { id: string; name: string }[];
  createdAt: number;
  updatedAt: number;
}

/** A user as it is stored: the attributes as JSON. */
export interface StoredUser extends Omit<ProvisionedUser, "attributes"> {
  attributes: string;
}

export interface ProvisionedGroup {
  id: string;
  displayName: string;
  externalId: string | null;
  /** Empty where members were not requested. */
  members: { id: string; name: string }[];
  createdAt: number;
  updatedAt: number;
}

/** The filter of a list: all its values must be equal. */
export interface UserFilter {
  id?: string;
  /** The name in lower case. */
  nameKey?: string;
  externalId?: string;
  email?: string;
  name?: string;
}

export interface GroupFilter {
  id?: string;
  /** The name in lower case. */
  nameKey?: string;
  externalId?: string;
  memberId?: string;
}

export interface Slice {
  skip: number;
  take: number;
}

/** Users and groups of an identity provider. */
export interface ProvisioningStore {
  listUsers(filter: UserFilter, slice: Slice): Promise<{ total: number; users: StoredUser[] }>;
  findUser(id: string): Promise<StoredUser | null>;
  /** @returns false for a userName that is taken */
  createUser(userId: string, attributes: UserAttributes, at: number): Promise<boolean>;
  /** @returns false for a userName that is taken */
  updateUser(userId: string, attributes: UserAttributes, at: number): Promise<boolean>;
  /** @returns false for an address that another account has */
  setAddress(userId: string, email: string): Promise<boolean>;
  listGroups(
    filter: GroupFilter,
    slice: Slice & { members: boolean },
  ): Promise<{ total: number; groups: ProvisionedGroup[] }>;
  findGroup(id: string): Promise<ProvisionedGroup | null>;
  /** The numbers of users and of members by group, for the settings page. */
  count(): Promise<{ users: number; groups: { name: string; members: number }[] }>;
  /** Finds the ids whose users the provider provisions. */
  findKnown(userIds: readonly string[]): Promise<Set<string>>;
  /** @returns false for a name that is taken */
  createGroup(group: { id: string; displayName: string; externalId: string | null; at: number }): Promise<boolean>;
  /** @returns false for a name that is taken */
  updateGroup(group: { id: string; displayName: string; externalId: string | null; at: number }): Promise<boolean>;
  changeMembers(groupId: string, change: { added: readonly string[]; removed: readonly string[] }): Promise<void>;
  /** @returns false for an unknown one */
  deleteGroup(id: string): Promise<boolean>;
  /** The names of the groups of each of these users, or of all. */
  listMemberships(userIds: readonly string[] | null): Promise<Map<string, string[]>>;
}
