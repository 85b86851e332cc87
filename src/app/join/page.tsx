import type { Metadata } from "next";
import { JoinView } from "@/app/_components/accounts/sign-in/join-view";

export const metadata: Metadata = { title: "Join", referrer: "no-referrer" };

export default function JoinPage() {
  return <JoinView />;
}
