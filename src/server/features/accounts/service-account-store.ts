import type { Role } from "../../../lib/contract/access";
import type { ServiceAccount } from "../../../lib/contract/service-account";

/** An account as it is stored: the owner may have been removed or switched off since. */
export interface StoredServiceAccount extends Omit<ServiceAccount, "owner"> {
  ownerId: string | null;
}

export interface NewServiceAccount {
  id: string;
  name: string;
  about: string;
  role: Role;
  ownerId: string;
  createdAt: number;
}

/** What service accounts have beside other users. Names, roles and switching off are in the store of accounts. */
export interface ServiceAccountStore {
  /** Lists the accounts by name. */
  list(): Promise<StoredServiceAccount[]>;
  find(id: string): Promise<StoredServiceAccount | null>;
  create(account: NewServiceAccount): Promise<void>;
  update(id: string, change: { about?: string | undefined; ownerId?: string | undefined }): Promise<void>;
}
