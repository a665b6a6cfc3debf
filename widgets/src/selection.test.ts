import { expect, test, vi } from "vitest";
import type { Scene } from "./scene/scene.ts";
import { Selection } from "./selection.ts";

const point = (id: string): Scene["shapes"][number] => ({ kind: "point", id, role: "place", lon: 4, lat: 52, detail: { title: id, lines: [] } });
const other: Scene = { shapes: [point("route-1")], rows: [], legend: [], chosen: "route-1" };
const scene: Scene = {
  shapes: [point("route-0"), { kind: "cluster", points: [point("place-1") as never], radiusPx: 20 }],
  rows: [],
  legend: [],
  chosen: "route-0",
  choose: (id) => (id === "route-1" ? other : undefined),
};

function made() {
  const stage = { choose: vi.fn(), look: vi.fn(), showVariant: vi.fn(), showDetail: vi.fn(), markChosen: vi.fn(), selected: vi.fn() };
  const selection = new Selection(stage);
  selection.setScene(scene);
  return { stage, selection };
}

test("a row shows its shape and what there is to say; pressed again, it lets go", () => {
  const { stage, selection } = made();
  selection.fromCard("place-1");
  expect(stage.choose).toHaveBeenLastCalledWith("place-1");
  expect(stage.showDetail).toHaveBeenLastCalledWith({ title: "place-1", lines: [] });
  expect(stage.markChosen).toHaveBeenLastCalledWith("place-1");
  selection.fromCard("place-1");
  expect(stage.choose).toHaveBeenLastCalledWith(undefined);
  expect(stage.selected).toHaveBeenLastCalledWith(undefined);
});

test("a route is put on top and looked at, without a box over it", () => {
  const { stage, selection } = made();
  selection.fromCard("route-1");
  expect(stage.showVariant).toHaveBeenCalledExactlyOnceWith(other);
  expect(stage.look).toHaveBeenCalledWith("route-1");
  expect(stage.showDetail).toHaveBeenLastCalledWith(undefined);
  expect(stage.selected).toHaveBeenLastCalledWith({ title: "route-1", lines: [] });
  selection.fromCard("route-1");
  expect(stage.showVariant).toHaveBeenCalledTimes(1);
});

test("what is picked on the map is told, and nothing ends it", () => {
  const { stage, selection } = made();
  const detail = { title: "Alternative 1", lines: [] };
  selection.fromMap({ id: "route-1", detail });
  expect(stage.showVariant).toHaveBeenCalledWith(other);
  expect(stage.showDetail).toHaveBeenLastCalledWith(detail);
  selection.fromMap(undefined);
  expect(stage.showDetail).toHaveBeenLastCalledWith(undefined);
  expect(stage.markChosen).toHaveBeenLastCalledWith(undefined);
});
