// SPDX-License-Identifier: Apache-2.0
//
// Draws the charts of a page in the colours of its style sheet, again when light turns to dark, and in light for paper.

"use strict";

(() => {
  const root = document.documentElement;
  const drawn = new Map();

  const onPaper = () => root.classList.contains("paper");

  const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

  const looks = {
    estimate: {dashes: [], shape: "circle", width: 1.8},
    second: {dashes: [10, 4], shape: "square", width: 1.8},
    third: {dashes: [2, 3], shape: "triangle-up", width: 1.8},
    fourth: {dashes: [10, 3, 2, 3], shape: "diamond", width: 1.8},
    truth: {dashes: [5, 3], shape: "circle", width: 1.8},
    reference: {dashes: [4, 4], shape: "circle", width: 1.2},
  };

  const styles = () => Object.fromEntries(Object.entries(looks).flatMap(([role, {dashes, shape, width}]) => [
    [`${role}_band`, {color: colour(role), fillOpacity: Number(colour("band-opacity"))}],
    [`${role}_line`, {color: colour(role), strokeWidth: width, strokeDash: dashes}],
    [`${role}_points`, {color: colour(role), filled: true, fillOpacity: 0.7, size: shape === "circle" ? 14 : 26, shape}],
    [`${role}_bars`, {color: colour(role), fillOpacity: 0.6, stroke: colour("surface"), strokeWidth: 1}],
    [`${role}_intervals`, {color: colour(role), strokeWidth: role === "second" ? 3 : 1.2, strokeOpacity: 0.55}],
  ]));

  const theme = () => ({
    background: colour("surface"),
    font: "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif",
    padding: 6,
    view: {stroke: colour("rule")},
    title: {
      color: colour("ink"), subtitleColor: colour("quiet"), anchor: "start", frame: "group",
      fontSize: 13, subtitleFontSize: 12, subtitlePadding: 4, offset: 8,
    },
    axis: {
      labelColor: colour("quiet"), titleColor: colour("ink"), gridColor: colour("grid"), tickColor: colour("rule"),
      domainColor: colour("rule"), labelFontSize: 11, titleFontSize: 12, titleFontWeight: "normal", tickCount: 5,
    },
    axisY: {titleLimit: 220},  // names of columns may be of any length
    axisX: {titleLimit: 320},
    legend: {
      orient: "bottom", labelColor: colour("quiet"), titleColor: colour("ink"), labelFontSize: 11, titleFontSize: 12,
      titleFontWeight: "normal", gradientStrokeColor: colour("rule"), gradientThickness: 10, tickCount: 3, titleLimit: 320,
    },
    range: {
      heatmap: [colour("surface"), colour("map")],
      diverging: [colour("map-low"), colour("surface"), colour("map-high")],
    },
    style: styles(),
  });

  const draw = async (chart, index, config) => {
    const drawing = chart.querySelector(".drawing");
    const spec = JSON.parse(chart.querySelector("script").textContent);
    if (onPaper()) spec.width = drawing.clientWidth;  // else it would be laid out again for the narrower sheet
    try {
      drawn.get(drawing)?.finalize();
      drawn.set(drawing, await vegaEmbed(drawing, spec, {
        mode: "vega-lite", renderer: "svg", ast: true, config, downloadFileName: `chart-${index + 1}`,
        actions: {export: true, source: false, compiled: false, editor: false},
      }));
      drawing.querySelector("summary")?.setAttribute("aria-label", `Save the chart “${spec.title.text}”`);
    } catch (error) {
      drawing.textContent = `This chart could not be drawn: ${error.message}.`;
    }
  };

  const drawAll = () => {
    const config = theme();
    document.querySelectorAll(".chart").forEach((chart, index) => draw(chart, index, config));
  };

  const turnToPaper = (printing) => () => {
    root.classList.toggle("paper", printing);
    drawAll();
  };

  // Browsers print in light, so printing a dark page also changes the scheme.
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => onPaper() || drawAll());
  window.addEventListener("beforeprint", turnToPaper(true));
  window.addEventListener("afterprint", turnToPaper(false));
  drawAll();
})();
