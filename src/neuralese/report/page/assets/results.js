// what belongs to all tasks: the tables as charts, the criteria, the theory

document.querySelectorAll("[data-table]").forEach((box) => box.append(...comparisonCharts(shared.tables[box.dataset.table])));
document.querySelectorAll("[data-ablation]").forEach((box) => box.append(ablationChart(shared.ablation[box.dataset.ablation])));
document.querySelectorAll("[data-relay]").forEach((box) => box.append(relayChart(shared.relay[box.dataset.relay])));
find(document, "theory").append(...theoryCharts(shared.theory));
document.documentElement.dataset.ready = "true";
