// Flamenco job type: cut a file into chunks, a share of the cells for each task, then the merge.
//
// Put this file into the folder `scripts` beside flamenco-manager and restart the Manager; the
// add-on of Flamenco then offers it after Refresh from Manager. Every Worker needs a Blender with
// the extension Octree enabled. The variable {blender} says where it is, as for renders.
// See https://flamenco.blender.org/usage/job-types/

const JOB_TYPE = {
    label: "Octree: Chunks",
    description: "Cut a file into chunks, as glTF or as 3D Tiles",
    settings: [
        { key: "chunks", type: "int32", default: 12,
          description: "Number of tasks that share the cells" },
        { key: "triangles", type: "int32", default: 50000,
          description: "A cell with more triangles is divided" },
        { key: "quadtree", type: "bool", default: false,
          description: "Divide in four, seen from above" },
        { key: "format", type: "string", default: "tiles", choices: ["gltf", "glb", "tiles"],
          description: "What to write" },
        { key: "georeference", type: "string", default: "",
          description: "Where tiles are on Earth: longitude, latitude and height; none if empty" },
        { key: "out", type: "string", subtype: "dir_path", required: true,
          description: "Folder to write; beside it each task writes one, and leaves it to the next"
              + " job, which writes what has changed. Shared by all workers" },
        { key: "blendfile", type: "string", required: true, visible: "web",
          description: "Path of the blend file" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    const merge = author.Task("merge", "blender");
    const out = settings.out.replace(/[\\/]+$/, ""), form = `--${settings.format}`;
    const parts = [];
    for (let at = 1; at <= settings.chunks; at++) {
        const part = `${out}.${at}-of-${settings.chunks}`;
        const task = author.Task(`chunk-${at}-of-${settings.chunks}`, "blender");
        task.addCommand(chunks([
            settings.blendfile,
            "--triangles", String(settings.triangles),
            "--chunk", `${at}/${settings.chunks}`,
            form, part,
        ].concat(settings.quadtree ? ["--quadtree"] : [])));
        merge.addDependency(task);
        job.addTask(task);
        parts.push(part);
    }
    merge.addCommand(chunks(["--merge"].concat(
        parts, [form, out],
        settings.georeference ? [`--georeference=${settings.georeference}`] : [],
    )));
    job.addTask(merge);
}

// `exec` and not `blender-render`: its exit code says whether a task has failed, and nothing of
// {blenderArgs}, which are meant for renders, comes in between.
function chunks(args) {
    return author.Command("exec", {
        exe: "{blender}",
        args: ["--command", "octree", "chunks"].concat(args),
    });
}
