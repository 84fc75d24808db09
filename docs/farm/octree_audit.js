// Flamenco job type: audit a file, or count its triangles against a budget; a share of its pairs or
// objects for each task, then the merge.
//
// Put this file into the folder `scripts` beside flamenco-manager and restart the Manager; the
// add-on of Flamenco then offers it after Refresh from Manager. Every Worker needs a Blender with
// the extension Octree enabled. The variable {blender} says where it is, as for renders.
// See https://flamenco.blender.org/usage/job-types/

const JOB_TYPE = {
    label: "Octree: Audit",
    description: "Find what overlaps, is doubled or comes too near; the merge fails where it does",
    settings: [
        { key: "chunks", type: "int32", default: 12,
          description: "Number of tasks that share the pairs of objects" },
        { key: "fail_on", type: "string", default: "overlap,contained,duplicate",
          description: "Classes of findings that fail, or none" },
        { key: "clearance", type: "float", default: 0.0,
          description: "How near is too near, in meters" },
        { key: "contacts", type: "bool", default: false,
          description: "Also report what only touches" },
        { key: "budget", type: "string", subtype: "file_path", default: "",
          description: "Instead of an audit: count triangles against this budget, a .json file" },
        { key: "out", type: "string", subtype: "file_path", required: true,
          description: "Report to write, in a folder that all workers share:"
              + " .csv .json .bcf .html .xml, with a budget .json or .xml" },
        { key: "blendfile", type: "string", required: true, visible: "web",
          description: "Path of the blend file" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    const merge = author.Task("merge", "blender");
    const what = settings.budget ? ["--budget", settings.budget] : [
        "--fail-on", settings.fail_on,
        "--clearance", String(settings.clearance),
    ].concat(settings.contacts ? ["--contacts"] : []);
    const command = settings.budget ? "budget" : "audit";
    const parts = [];
    for (let at = 1; at <= settings.chunks; at++) {
        const part = settings.out.replace(/(\.\w+)?$/, `.${at}-of-${settings.chunks}.part`);
        const task = author.Task(`chunk-${at}-of-${settings.chunks}`, "blender");
        task.addCommand(octree(command, [settings.blendfile].concat(what, [
            "--chunk", `${at}/${settings.chunks}`,
            "--out", part,
        ])));
        merge.addDependency(task);
        job.addTask(task);
        parts.push(part);
    }
    merge.addCommand(octree(command, ["--merge"].concat(parts, ["--report", settings.out])));
    job.addTask(merge);
}

// `exec` and not `blender-render`: its exit code says whether a task has failed, and nothing of
// {blenderArgs}, which are meant for renders, comes in between.
function octree(command, args) {
    return author.Command("exec", {
        exe: "{blender}",
        args: ["--command", "octree", command].concat(args),
    });
}
