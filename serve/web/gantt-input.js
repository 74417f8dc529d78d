// Wheel, fingers and keys of the chart of the machine.

/** Moves a chart by what is done on its canvas. */
export function listen(canvas, chart) {
  const { view } = chart;
  const seconds = (pixels) => (pixels / chart.axis().width) * (view.to - view.from);
  const inside = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  canvas.addEventListener("wheel", (event) => {
    const [px, py] = inside(event);
    const unit = event.deltaMode === 1 ? 18 : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      chart.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY * unit)) * 0.008), chart.time(Math.max(chart.axis().left, px)));
    } else if (event.altKey) {
      event.preventDefault();
      chart.rescale(view.row * Math.exp(-event.deltaY * unit * 0.004), py);
    } else {
      const sideways = (event.shiftKey ? event.deltaY || event.deltaX : event.deltaX) * unit;
      const moved = chart.pan(seconds(sideways), event.shiftKey ? 0 : event.deltaY * unit);
      // At the last row the page scrolls on.
      if (moved || sideways) event.preventDefault();
    }
    chart.tip(null);
  }, { passive: false });

  const fingers = new Map();
  let dragged = 0;
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    dragged = 0;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") chart.tip(event);
      return;
    }
    chart.tip(null);
    const other = [...fingers.values()].find((one) => one.pointerId !== event.pointerId);
    if (other) {
      const apart = (one) => Math.max(20, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY));
      chart.zoom(apart(before) / apart(event), chart.time((inside(event)[0] + inside(other)[0]) / 2));
      // The middle between two fingers moves half as far as one of them.
      chart.pan(seconds(before.clientX - event.clientX) / 2, (before.clientY - event.clientY) / 2);
      dragged = Infinity;
    } else {
      const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
      dragged += Math.abs(dx) + Math.abs(dy);
      // Up and down one finger scrolls the page, which the browser does.
      if (dragged > 3) chart.pan(seconds(-dx), event.pointerType === "touch" ? 0 : -dy);
    }
    fingers.set(event.pointerId, event);
  });
  const lift = (event) => {
    const pressed = fingers.delete(event.pointerId);
    if (event.type === "pointerup" && pressed && dragged <= 3) chart.openAt(inside(event)[1]);
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => chart.tip(null));

  const tenth = () => (view.to - view.from) * 0.1;
  const keys = {
    ArrowLeft: () => chart.pan(-tenth(), 0),
    ArrowRight: () => chart.pan(tenth(), 0),
    ArrowUp: () => chart.select(chart.selected() - 1),
    ArrowDown: () => chart.select(chart.selected() + 1),
    PageUp: () => chart.select(chart.selected() - chart.page()),
    PageDown: () => chart.select(chart.selected() + chart.page()),
    Home: () => chart.select(0),
    End: () => chart.select(chart.last()),
    "+": () => chart.zoom(1 / 1.3),
    "=": () => chart.zoom(1 / 1.3),
    "-": () => chart.zoom(1.3),
    "[": () => chart.rescale(view.row / 1.5),
    "]": () => chart.rescale(view.row * 1.5),
    0: () => chart.fit(),
    Enter: () => chart.openSelected(),
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
}
