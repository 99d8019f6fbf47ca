// the list of sections marks the one being read

const listed = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const reading = new IntersectionObserver(
  (entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      for (const link of listed.values()) link.removeAttribute("aria-current");
      const link = listed.get(target.id);
      link.setAttribute("aria-current", "true");
      const list = link.closest("ul");
      list.scrollTo({ left: link.offsetLeft - list.offsetLeft - list.clientWidth / 3, behavior: "smooth" });
    }
  },
  { rootMargin: "-15% 0px -80% 0px" },
);
for (const id of listed.keys()) reading.observe(document.getElementById(id));
