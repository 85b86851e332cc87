// @vitest-environment happy-dom
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { ExposureAlert } from "./exposure-alert";

it("warns of a server without accounts that others reach, and says why and what to remove", () => {
  const { container, rerender } = render(<ExposureAlert exposure={null} />);
  expect(container.textContent).toBe("");
  rerender(<ExposureAlert exposure="TOOLROOM_PUBLIC_URL=https://tools.example.org" />);
  expect(screen.getByText("Everyone who reaches this server may do everything")).toBeTruthy();
  expect(container.textContent).toMatch(/TOOLROOM_PUBLIC_URL=https:\/\/tools\.example\.org.*Remove TOOLROOM_AUTH/);
});
