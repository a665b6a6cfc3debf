import { describe, expect, test, vi } from "vitest";
import type { PointShape, Scene } from "./scene/scene.ts";
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
  const stage = { choose: vi.fn(), look: vi.fn(), showVariant: vi.fn(), reword: vi.fn(), showDetail: vi.fn(), markChosen: vi.fn(), selected: vi.fn() };
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

describe("the same scene in other words", () => {
  const dutch = (title: string): PointShape => ({ kind: "point", role: "place", lon: 4, lat: 52, detail: { title, lines: [] } });
  const variant: Scene = { shapes: [dutch("route één")], rows: [], legend: [], chosen: "route-1" };
  const reworded: Scene = {
    shapes: [dutch("route nul"), { kind: "cluster", points: [dutch("plaats")], radiusPx: 20, tell: () => ({ title: "één plaats", lines: [] }) }],
    rows: [],
    legend: [],
    chosen: "route-0",
    choose: (id) => (id === "route-1" ? variant : undefined),
  };

  test("tells what is picked once more, and the model nothing", () => {
    const { stage, selection } = made();
    selection.fromCard("place-1");
    selection.reword(reworded);
    expect(stage.reword).toHaveBeenCalledExactlyOnceWith(reworded);
    expect(stage.showDetail).toHaveBeenLastCalledWith({ title: "plaats", lines: [] });
    expect(stage.markChosen).toHaveBeenLastCalledWith("place-1");
    expect(stage.selected).toHaveBeenCalledOnce();
  });

  test("keeps on top what the person put there", () => {
    const { stage, selection } = made();
    selection.fromCard("route-1");
    stage.showDetail.mockClear();
    selection.reword(reworded);
    expect(stage.reword).toHaveBeenCalledExactlyOnceWith(variant);
    expect(stage.showDetail).not.toHaveBeenCalled();
  });

  test("tells of several places at one spot once more", () => {
    const { stage, selection } = made();
    const [, cluster] = scene.shapes;
    const members = cluster!.kind === "cluster" ? cluster!.points : [];
    selection.fromMap({ detail: { title: "one place", lines: [] }, members });
    selection.reword(reworded);
    expect(stage.showDetail).toHaveBeenLastCalledWith({ title: "één plaats", lines: [] });
    expect(stage.markChosen).toHaveBeenLastCalledWith(undefined);
  });

  test("lets go of what has no like there", () => {
    const { stage, selection } = made();
    selection.fromMap({ detail: { title: "elsewhere", lines: [] } });
    selection.reword(reworded);
    expect(stage.choose).toHaveBeenLastCalledWith(undefined);
    expect(stage.showDetail).toHaveBeenLastCalledWith(undefined);
  });
});
