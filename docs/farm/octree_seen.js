// Flamenco job type: find what cameras see, a chunk of the frames for each task, then the merge.
//
// Put this file into the folder `scripts` beside flamenco-manager and restart the Manager; the
// add-on of Flamenco then offers it after Refresh from Manager. Every Worker needs a Blender with
// the extension Octree enabled. The variable {blender} says where it is, as for renders.
// See https://flamenco.blender.org/usage/job-types/

const JOB_TYPE = {
    label: "Octree: What Cameras See",
    description: "Find which objects cameras see in which frames",
    settings: [
        { key: "frames", type: "string", required: true,
          eval: "f'{C.scene.frame_start}-{C.scene.frame_end}'",
          description: "Frames to look at, such as 1-240 or 1,5,10-20" },
        { key: "chunks", type: "int32", default: 12,
          description: "Number of tasks that share the frames" },
        { key: "cameras", type: "string", default: "scene", choices: ["scene", "all"],
          description: "The camera of the scene, which markers may switch, or all cameras" },
        { key: "behind_others", type: "bool", default: false,
          description: "Count pixels: what stands in front hides" },
        { key: "size", type: "int32", default: 100,
          description: "With it: percent of the size of a render" },
        { key: "samples", type: "int32", default: 1,
          description: "With it: so many samples by so many in each pixel" },
        { key: "least", type: "float", default: 1.0,
          description: "With it: fewer pixels are too small to be seen" },
        { key: "open", type: "bool", default: false,
          description: "With it: leave out faces of see-through materials" },
        { key: "labels", type: "string", subtype: "dir_path", default: "",
          description: "With it: folder for label pictures, none if empty; shared by all workers" },
        { key: "format", type: "string", default: "json", choices: ["json", "csv", "coco", "bop"],
          description: "What to write; coco and bop need pixels, coco the label pictures too" },
        { key: "out", type: "string", subtype: "file_path", required: true,
          description: "File to write, in a folder that all workers share: .csv, else .json" },
        { key: "blendfile", type: "string", required: true, visible: "web",
          description: "Path of the blend file" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    const merge = author.Task("merge", "blender");
    const labels = settings.labels ? ["--labels", settings.labels] : [];
    const pixels = settings.behind_others ? [
        "--behind-others",
        "--size", String(settings.size),
        "--samples", String(settings.samples),
        "--least", String(settings.least),
    ].concat(settings.open ? ["--open"] : [], labels) : [];
    const parts = [];
    for (let at = 1; at <= settings.chunks; at++) {
        const part = settings.out.replace(/(\.json|\.csv)?$/i, `.${at}-of-${settings.chunks}.json`);
        const task = author.Task(`chunk-${at}-of-${settings.chunks}`, "blender");
        task.addCommand(seen([
            settings.blendfile,
            `--frames=${settings.frames}`,
            "--cameras", settings.cameras,
            "--chunk", `${at}/${settings.chunks}`,
            "--out", part,
        ].concat(pixels)));
        merge.addDependency(task);
        job.addTask(task);
        parts.push(part);
    }
    merge.addCommand(seen(["--merge"].concat(
        parts, settings.behind_others ? labels : [],
        ["--format", settings.format, "--out", settings.out],
    )));
    job.addTask(merge);
}

// `exec` and not `blender-render`: its exit code says whether a task has failed, and nothing of
// {blenderArgs}, which are meant for renders, comes in between.
function seen(args) {
    return author.Command("exec", {
        exe: "{blender}",
        args: ["--command", "octree", "seen"].concat(args),
    });
}
