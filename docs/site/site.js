// What the theme leaves out for people without a mouse or with a screen reader.
document$.subscribe(() => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  for (const region of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code")) region.tabIndex = 0;
});
